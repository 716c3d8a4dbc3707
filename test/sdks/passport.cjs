// An application with passport-openidconnect, which knows no PKCE. Arguments: issuer, id and secret. It
// prints where to send the browser, reads where the browser came back to, and prints whom it has signed
// in as JSON.
const Strategy = require('passport-openidconnect')
const lines = require('node:readline').createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const [issuer, id, secret] = process.argv.slice(2)
const strategy = new Strategy({
  issuer, authorizationURL: issuer + '/oauth2/authorize', tokenURL: issuer + '/oauth2/token', userInfoURL: issuer + '/oauth2/userinfo',
  clientID: id, clientSecret: secret, callbackURL: 'https://app.example/callback', scope: ['email'],
}, (_, profile, done) => done(null, profile))
const request = { session: {}, query: {}, headers: {}, connection: { encrypted: true } }

// authenticate does what passport does with a request: it waits for what the strategy decides.
const authenticate = () => new Promise((resolve, reject) => {
  const one = Object.create(strategy)
  one.redirect = resolve
  one.success = resolve
  one.fail = (why) => reject(new Error('refused: ' + JSON.stringify(why)))
  one.error = reject
  one.authenticate(request, {})
})

async function main() {
  console.log(await authenticate())
  request.query = Object.fromEntries(new URL((await lines.next()).value).searchParams)
  const user = await authenticate()
  console.log(JSON.stringify({ sub: user.id, email: user.emails?.[0]?.value }))
  process.exit(0)
}
main().catch((err) => { console.error(err); process.exit(1) })
