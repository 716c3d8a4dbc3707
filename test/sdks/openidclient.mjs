// An application with openid-client. Arguments: issuer, id, secret and the algorithm of ID tokens.
// It prints where to send the browser, reads where the browser came back to, and prints what it
// learned as JSON.
import * as client from 'openid-client'
import { createInterface } from 'node:readline'

const [issuer, id, secret, algorithm] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const config = await client.discovery(new URL(issuer), id, { client_secret: secret, id_token_signed_response_alg: algorithm }, undefined, {
  execute: [client.allowInsecureRequests],
})
const verifier = client.randomPKCECodeVerifier(), state = client.randomState(), nonce = client.randomNonce()
console.log(client.buildAuthorizationUrl(config, {
  redirect_uri: 'https://app.example/callback', scope: 'openid email profile offline_access', state, nonce, max_age: '3600',
  code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
}).href)
const back = new URL((await lines.next()).value)
const tokens = await client.authorizationCodeGrant(config, back, {
  pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, maxAge: 3600, idTokenExpected: true,
})
const claims = tokens.claims()
const about = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token)
const before = await client.tokenIntrospection(config, renewed.access_token)
await client.tokenRevocation(config, renewed.access_token)
const after = await client.tokenIntrospection(config, renewed.access_token)
console.log(JSON.stringify({ sub: claims.sub, email: about.email, before: before.active, after: after.active }))
process.exit(0)
