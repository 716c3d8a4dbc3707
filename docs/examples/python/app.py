"""Signs people in with their Octavo accounts. Its home page is for them alone, and its API answers
whoever sends an access token of Octavo."""

import os
import secrets
from urllib.parse import urlencode

import jwt
from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, abort, jsonify, redirect, render_template_string, request, session, url_for

OCTAVO = os.environ["OCTAVO_URL"]

app = Flask(__name__)
app.secret_key = os.environ["SECRET_KEY"]
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=os.environ.get("SECURE_COOKIES") == "yes")
octavo = OAuth(app).register(
    "octavo",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    server_metadata_url=OCTAVO + "/.well-known/openid-configuration",
    client_kwargs={"scope": "openid email", "code_challenge_method": "S256", "timeout": 10},
)
keys = jwt.PyJWKClient(OCTAVO + "/.well-known/jwks.json")
# Flask's cookie is signed but can be read, so it holds a key to this. It lives in memory: a restart ends all sessions.
sessions = {}

PAGE = """<!doctype html><html lang="en"><title>An app</title>
<h1>Hello {{ user["email"] }}</h1><form method="post" action="/sign-out"><button>Sign out</button></form>"""


@app.get("/")
def home():
    """For people who are signed in. Octavo is asked each time, so that whose session was ended there is out at once.
    After 20 minutes the access token expires and the browser goes by Octavo, which its user hardly notices."""
    tokens = sessions.get(session.get("id"))
    if tokens is None:
        return redirect(url_for("sign_in"))
    answer = octavo.get(octavo.load_server_metadata()["userinfo_endpoint"], token={**tokens, "expires_at": None})
    if answer.status_code == 401:
        del sessions[session.pop("id")]
        return redirect(url_for("sign_in"))
    answer.raise_for_status()
    return render_template_string(PAGE, user=answer.json()), {"Cache-Control": "no-store"}


@app.get("/sign-in")
def sign_in():
    return octavo.authorize_redirect(url_for("callback", _external=True))


@app.get("/callback")
def callback():
    """Where Octavo sends the browser back to. Authlib compares state and nonce, and verifies the ID token."""
    try:
        tokens = octavo.authorize_access_token()
    except OAuthError:
        abort(400, "The sign-in was not finished. Please start again.")
    session["id"] = secrets.token_urlsafe(32)
    sessions[session["id"]] = tokens
    return redirect(url_for("home"))


@app.post("/sign-out")
def sign_out():
    """Ends the session here, and sends the browser to Octavo to end it there, too."""
    tokens = sessions.pop(session.pop("id", None), None)
    if tokens is None:
        return redirect(url_for("sign_in"))
    end = octavo.load_server_metadata()["end_session_endpoint"]
    return redirect(end + "?" + urlencode({"id_token_hint": tokens["id_token"]}))


@app.get("/api/me")
def api():
    """Verifies an access token by the keys of Octavo, without asking it. Until the token expires it does not notice
    that a session was ended: for what must not wait ask as home does."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    try:
        key = keys.get_signing_key_from_jwt(token).key
        # The audience is JWT_AUDIENCE of Octavo. Tokens of other people's applications are for somebody else.
        claims = jwt.decode(token, key, algorithms=["ES512"], issuer=OCTAVO, audience="octavo", options={"require": ["exp"]})
    except jwt.PyJWTError:
        abort(401)
    return jsonify(user=claims["sub"], role=claims["role"])


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "8080")))
