"""An OAuth server made of Authlib and Flask, on a free port of loopback, which it prints: the device authorization grant and refresh tokens, with
access tokens of three weeks, and their revocation. POST /approve approves the latest code, and POST /end ends every refresh token. It takes records as well.
It ends with its standard input.
"""

import json
import os
import sys
import threading
import time

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin
from authlib.oauth2.rfc6749.grants import RefreshTokenGrant
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from flask import Flask, jsonify, request
from werkzeug.serving import make_server

USER = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
LIFETIME = 21 * 86_400
CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {CODE_GRANT: LIFETIME, "refresh_token": LIFETIME}
codes, approved, tokens, received = {}, set(), {}, []


class Client(ClientMixin):
    """The only one, without a secret."""

    def get_client_id(self):
        return "anicca"

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_grant_type(self, grant_type):
        return grant_type in (CODE_GRANT, "refresh_token")


class Token(dict, TokenMixin):
    """An answer with tokens; `ends` when its access token does."""

    def check_client(self, client):
        return client.get_client_id() == "anicca"

    def get_scope(self):
        return ""

    def get_expires_in(self):
        return LIFETIME

    def is_expired(self):
        return False

    def is_revoked(self):
        return False

    def get_user(self):
        return USER

    def get_client(self):
        return Client()


class Codes(DeviceAuthorizationEndpoint):
    INTERVAL = 1

    def get_verification_uri(self):
        return "http://127.0.0.1/active"

    def save_device_credential(self, client_id, scope, data):
        codes[data["device_code"]] = DeviceCredentialDict(client_id=client_id, scope=scope, expires_at=time.time() + 1800, **data)


class Code(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, device_code):
        return codes.get(device_code)

    def query_user_grant(self, user_code):
        return (USER, True) if user_code in approved else None

    def should_slow_down(self, credential):
        return False


class Refresh(RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        return tokens.get(refresh_token)

    def authenticate_user(self, refresh_token):
        return USER

    def revoke_old_credential(self, refresh_token):
        tokens.pop(refresh_token["refresh_token"], None)


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]

    def query_token(self, token_string, token_type_hint):
        return tokens.get(token_string) or next((token for token in tokens.values() if token["access_token"] == token_string), None)

    def revoke_token(self, token, request):
        tokens.pop(token["refresh_token"], None)


class Bearer(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return next((token for token in tokens.values() if token["access_token"] == token_string), None)


def save(token, _):
    token["user_id"] = USER
    tokens[token["refresh_token"]] = Token(token)


server = AuthorizationServer(app, query_client=lambda name: Client() if name == "anicca" else None, save_token=save)
server.register_endpoint(Codes)
server.register_grant(Code)
server.register_grant(Refresh)
server.register_endpoint(Revocation)
protector = ResourceProtector()
protector.register_token_validator(Bearer())


@app.post("/oauth/device_authorization")
def device_authorization():
    return server.create_endpoint_response(Codes.ENDPOINT_NAME)


@app.post("/oauth/token")
def token():
    return server.create_token_response()


@app.post("/oauth/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


@app.post("/mobile/daily_metrics")
@app.post("/nudge/trigger")
@protector()
def record():
    received.append(request.json)
    return jsonify(status="stored")


@app.post("/approve")
def approve():
    approved.update(code["user_code"] for code in codes.values())
    return jsonify(approved=len(approved))


@app.post("/count")
def count():
    return jsonify(received=len(received), tokens=len(tokens))


@app.post("/end")
def end():
    tokens.clear()
    return jsonify(ended=True)


if __name__ == "__main__":
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    serving = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    print(json.dumps({"port": serving.port}), flush=True)
    sys.stdin.read()
