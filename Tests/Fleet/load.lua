-- For wrk: each request is a daily record of one of many devices, under a key of its own.
--   wrk -s load.lua URL -- ACCOUNTS THREADS   ACCOUNTS has lines ACCOUNT DEVICE TOKEN

local threads = {}

function setup(thread)
    thread:set("number", #threads)
    table.insert(threads, thread)
end

function init(arguments)
    devices = {}
    local lines = 0
    for line in io.lines(arguments[1]) do
        lines = lines + 1
        -- A device is of one thread, and sends a record a day.
        if lines % arguments[2] == number then
            local account, token = line:match("^(%S+) %S+ (%S+)$")
            table.insert(devices, { account = account, token = token })
        end
    end
    now = os.time()
    made, accepted, refused, first = 0, 0, 0, ""
    math.randomseed(os.time() * 64 + number)
    next_device = 0
end

function request()
    made = made + 1
    next_device = next_device % #devices + 1
    local device = devices[next_device]
    local random = math.random
    -- Each round over the devices is of the day before.
    local date = os.date("!%Y-%m-%d", now - 86400 * (1 + math.floor((made - 1) / #devices)))
    -- The last part is no other request's.
    local key = string.format("%08x-%04x-4%03x-9%03x-%02x%010x", random(0, 0x7fffffff), random(0, 0xffff), random(0, 0xfff),
        random(0, 0xfff), number, made)
    local body = string.format(
        '{"userId":"%s","date":"%s","sleepDurationMin":%d,"wakeAt":"%sT06:%02d:00Z","steps":%d,"sedentaryMinutes":%d}',
        device.account, date, random(1, 600), date, random(0, 59), random(0, 20000), random(0, 900))
    return wrk.format("POST", "/mobile/daily_metrics", {
        ["Authorization"] = "Bearer " .. device.token, ["Content-Type"] = "application/json", ["Accept"] = "application/json",
        ["Idempotency-Key"] = key,
    }, body)
end

function response(status, headers, body)
    if status == 200 then
        accepted = accepted + 1
    else
        refused = refused + 1
        if first == "" then first = status .. " " .. body end
    end
end

function done(summary, latency, requests)
    local accepted, refused, first = 0, 0, ""
    for _, thread in ipairs(threads) do
        accepted = accepted + thread:get("accepted")
        refused = refused + thread:get("refused")
        if first == "" then first = thread:get("first") end
    end
    local errors = summary.errors
    io.write(string.format(
        '\n{"seconds":%.3f,"accepted":%d,"refused":%d,"p50":%.2f,"p99":%.2f,"longest":%.2f,"broken":%d,"late":%d}\n%s\n',
        summary.duration / 1e6, accepted, refused, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
        errors.connect + errors.read + errors.write, errors.timeout, first))
end
