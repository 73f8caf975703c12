-- Who may do what with the tables, after each anicca-receiver migrate, by their owner:
--     runuser -u anicca-owner -- psql --set ON_ERROR_STOP=1 --file grants.sql anicca

-- A receiver enrols nobody, and does not change the tables: the functions give tokens only for a code that was approved, or for a
-- refresh token. DELETE is for what an account has erased, and for codes that are too old.
REVOKE SELECT ON device FROM "anicca-receiver";
GRANT SELECT (token, account, revoked_at, expires_at) ON device TO "anicca-receiver";
GRANT SELECT ON schema_version TO "anicca-receiver";
GRANT SELECT (account, expires_at), INSERT (device_code, user_code, expires_at), DELETE ON sign_in TO "anicca-receiver";
GRANT EXECUTE ON FUNCTION redeem_code, refresh_tokens, end_sign_in TO "anicca-receiver";
GRANT SELECT, INSERT, UPDATE ON idempotency_key, erasure TO "anicca-receiver";
GRANT SELECT, INSERT, UPDATE, DELETE ON daily_record TO "anicca-receiver";
GRANT SELECT, INSERT, DELETE ON event, nudge TO "anicca-receiver";
-- Whom a policy of nudges is about, and in which language and time zone.
GRANT SELECT (account, name, language, time_zone) ON participant TO "anicca-receiver";

-- Rows of single wearers: let only those see the dashboard who may.
GRANT SELECT ON daily_figures TO "anicca-dashboards";
