// Needs OCTAVO_URL, the address of a server in development, and the compiled client in dist.
import assert from "node:assert/strict";
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { test } from "node:test";
import {
  BeginPasskeyRegistration, BeginPasskeySignIn, CompleteSignIn, ConfirmTotp, DisableTotp, FinishPasskeyRegistration, FinishPasskeySignIn, Me, Octavo,
  Reauthenticate, SignIn, SignUp, StartTotp, VerifyEmail,
} from "../dist/index.js";

const url = process.env.OCTAVO_URL;
const password = "correct horse battery staple";
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const fresh = () => new Octavo({ url, mode: "bearer" });

/** Signs somebody up and in and proves who they are. */
async function member() {
  const email = `${crypto.randomUUID()}@campus.edu`, client = fresh();
  await client.run(SignUp, { email, password });
  for (let tries = 0; ; tries++, await pause(20)) {
    assert.ok(tries < 1000, "no code was mailed");
    const [mail] = await (await fetch(`${url}/dev/mail.json?to=${email}`)).json();
    if (!mail?.code) continue;
    await client.run(VerifyEmail, { email, code: mail.code });
    await client.run(SignIn, { email, password });
    await client.run(Reauthenticate, { password });
    return { email, client };
  }
}

/** What an authenticator app shows for a secret now (RFC 6238). */
function appCode(secret) {
  const bits = [...secret].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const sum = createHmac("sha1", Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))).update(step).digest();
  return String((sum.readUInt32BE(sum.at(-1) & 0xf) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

test("a second factor is turned on, asked for and turned off", async () => {
  const { email, client } = await member();
  const { startTotp } = await client.run(StartTotp, {});
  assert.match(startTotp.uri, /^otpauth:\/\/totp\//);
  const { confirmTotp: recovery } = await client.run(ConfirmTotp, { code: appCode(startTotp.secret) });
  assert.equal(recovery.length, 10);

  const second = fresh();
  const required = await second.run(SignIn, { email, password }).then(() => assert.fail("the password alone signs in"), (error) => error);
  assert.equal(required.code, "SECOND_FACTOR_REQUIRED");
  const { challenge } = required.extensions;
  await assert.rejects(second.run(CompleteSignIn, { challenge, code: "wrong" }), { code: "CODE_INVALID" });
  await second.run(CompleteSignIn, { challenge, code: recovery[0] });
  assert.equal((await second.run(Me, {})).me.email, email);
  await assert.rejects(second.run(CompleteSignIn, { challenge, code: recovery[1] }), { code: "CHALLENGE_INVALID" });
  assert.equal((await client.run(DisableTotp, { code: recovery[1] })).disableTotp, true);
  await fresh().run(SignIn, { email, password });
});

/** An authenticator in software (WebAuthn, level 3): ES256 with P-256. */
function passkey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16), bytes = (...all) => Buffer.concat(all.map((one) => Buffer.from(one)));
  const sha256 = (data) => createHash("sha256").update(data).digest();
  let user;
  return (type, { publicKey: asked }) => {
    const clientData = Buffer.from(JSON.stringify({ type, challenge: asked.challenge, origin: `http://localhost:${new URL(url).port}`, crossOrigin: false }));
    const party = sha256(asked.rpId ?? asked.rp.id), response = { clientDataJSON: clientData.toString("base64url") };
    if (type === "webauthn.create") {
      user = asked.user.id;
      const cose = bytes([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20], Buffer.from(x, "base64url"), [0x22, 0x58, 0x20], Buffer.from(y, "base64url"));
      const data = bytes(party, [0x45, 0, 0, 0, 0], Buffer.alloc(16), [0, id.length], id, cose);
      response.attestationObject = bytes([0xa3, 0x63], "fmt", [0x64], "none", [0x67], "attStmt", [0xa0, 0x68], "authData", [0x58, data.length], data).toString("base64url");
    } else {
      const data = bytes(party, [0x05, 0, 0, 0, 0]);
      Object.assign(response, {
        authenticatorData: data.toString("base64url"), userHandle: user,
        signature: sign("sha256", bytes(data, sha256(clientData)), privateKey).toString("base64url"),
      });
    }
    const rawId = id.toString("base64url");
    return { id: rawId, rawId, type: "public-key", response, clientExtensionResults: {} };
  };
}

test("a passkey is added and signs in", async () => {
  const { email, client } = await member(), answer = passkey();
  const { beginPasskeyRegistration: begun } = await client.run(BeginPasskeyRegistration, { name: "My phone" });
  const { finishPasskeyRegistration: added } = await client.run(FinishPasskeyRegistration, { id: begun.id, response: answer("webauthn.create", begun.options) });
  assert.equal(added.name, "My phone");

  const second = fresh();
  const { beginPasskeySignIn: { id, options } } = await second.run(BeginPasskeySignIn, {});
  const response = answer("webauthn.get", options);
  await second.run(FinishPasskeySignIn, { id, response });
  assert.equal((await second.run(Me, {})).me.email, email);
  await second.run(StartTotp, {}); // the sign-in is a recent proof
  await assert.rejects(second.run(FinishPasskeySignIn, { id, response }), { code: "CHALLENGE_INVALID" });
});
