// An OpenID provider with oidc-provider, with its defaults but for what the options below turn on. Arguments:
// its address, host and port, the clients as JSON and more options as JSON. It signs in whoever names an
// address, with any password.
import Provider from 'oidc-provider'

const [address, clients, more] = process.argv.slice(2)
const provider = new Provider('http://' + address, {
  clients: JSON.parse(clients),
  claims: {
    address: ['address'],
    email: ['email', 'email_verified'],
    phone: ['phone_number', 'phone_number_verified'],
    profile: ['name', 'given_name', 'family_name', 'locale', 'updated_at'],
  },
  conformIdTokenClaims: false, // claims of the scopes also in ID tokens, as most providers have them
  features: { backchannelLogout: { enabled: true }, claimsParameter: { enabled: true } },
  pkce: { required: () => false },
  fetch: (url, { dispatcher, ...options }) => globalThis.fetch(url, options), // the clients are on this machine
  findAccount: (_, sub) => ({
    accountId: sub,
    claims: () => ({
      sub, email: sub, email_verified: true, name: 'Zoe Young', given_name: 'Zoe', family_name: 'Young', locale: 'en',
      updated_at: 1700000000, phone_number: '+1 585 555 0100', phone_number_verified: false, address: { country: 'US' },
    }),
  }),
  ...JSON.parse(more),
})
const [host, port] = address.split(':')
provider.listen(Number(port), host)
