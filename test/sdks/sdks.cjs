// Signs and verifies deliveries with the libraries that senders publish for Node. Each line
// of standard input is a task in JSON; its result is a line of standard output. The first
// argument is the folder that test/tools/npm.sh has filled.
const path = require("node:path");
const readline = require("node:readline");

const library = (name) => require(path.join(process.argv[2], "node_modules", name));
const stripe = library("stripe");
const { Webhook } = library("standardwebhooks");
const slack = library("@slack/bolt/dist/receivers/verify-request.js"); // all of Bolt needs a web server
library("@shopify/shopify-api/dist/cjs/adapters/node");
const { shopifyApi } = library("@shopify/shopify-api");
const { getHmac } = library("@shopify/shopify-api/dist/cjs/test-helpers/get-hmac.js");
const octokit = import(path.join(process.argv[2], "node_modules/@octokit/webhooks-methods/dist-node/index.js"));
const octokitWebhooks = import(path.join(process.argv[2], "node_modules/@octokit/webhooks/dist-bundle/index.js"));

const svix = library("svix/dist/webhook.js"); // its client for the API needs more packages, as those of the next two do
const razorpay = library("razorpay/dist/utils/razorpay-utils.js");
const twilio = library("twilio/lib/webhooks/webhooks.js");

const throws = (check) => {
  try {
    check();
    return false;
  } catch {
    return true;
  }
};

const libraries = {
  octokit: {
    sign: async (t) => ({ "X-Hub-Signature-256": await (await octokit).sign(t.Secret, t.Body) }),
    verify: async (t) => (await octokit).verify(t.Secret, t.Body, t.Headers["X-Hub-Signature-256"]),
  },
  "octokit-webhooks": {
    sign: async (t) => ({ "X-Hub-Signature-256": await new (await octokitWebhooks).Webhooks({ secret: t.Secret }).sign(t.Body) }),
    verify: async (t) => {
      const webhooks = new (await octokitWebhooks).Webhooks({ secret: t.Secret, log: { warn() {}, error() {}, info() {}, debug() {} } });
      const delivery = { id: t.Headers["X-Github-Delivery"] ?? "1", name: t.Headers["X-Github-Event"] ?? "push", payload: t.Body, signature: t.Headers["X-Hub-Signature-256"] };
      return webhooks.verifyAndReceive(delivery).then(() => true, () => false);
    },
  },
  "stripe-node": {
    sign: async (t) => ({ "Stripe-Signature": stripe.webhooks.generateTestHeaderString({ payload: t.Body, secret: t.Secret }) }),
    verify: async (t) => !throws(() => stripe.webhooks.constructEvent(t.Body, t.Headers["Stripe-Signature"], t.Secret)),
  },
  standardwebhooks: {
    sign: async (t) => {
      const now = new Date();
      return {
        "webhook-id": t.ID,
        "webhook-timestamp": String(Math.floor(now / 1000)),
        "webhook-signature": new Webhook(t.Secret).sign(t.ID, now, t.Body),
      };
    },
    verify: async (t) => !throws(() => new Webhook(t.Secret).verify(t.Body, t.Headers)),
  },
  svix: {
    sign: async (t) => {
      const now = new Date();
      return { "svix-id": t.ID, "svix-timestamp": String(Math.floor(now / 1000)), "svix-signature": new svix.Webhook(t.Secret).sign(t.ID, now, t.Body) };
    },
    verify: async (t) => !throws(() => new svix.Webhook(t.Secret).verify(t.Body, t.Headers)),
  },
  razorpay: {
    verify: async (t) => razorpay.validateWebhookSignature(t.Body, t.Headers["X-Razorpay-Signature"], t.Secret),
  },
  twilio: {
    sign: async (t) => ({ "X-Twilio-Signature": twilio.getExpectedTwilioSignature(t.Secret, t.URL, Object.fromEntries(new URLSearchParams(t.Body))) }),
    verify: async (t) => twilio.validateRequest(t.Secret, t.Headers["X-Twilio-Signature"], t.URL, Object.fromEntries(new URLSearchParams(t.Body))),
  },
  "slack-bolt": {
    verify: async (t) => {
      const headers = Object.fromEntries(Object.entries(t.Headers).map(([name, value]) => [name.toLowerCase(), value]));
      return slack.isValidSlackRequest({ signingSecret: t.Secret, body: t.Body, headers });
    },
  },
  "shopify-api": {
    sign: async (t) => ({ "X-Shopify-Hmac-Sha256": getHmac(t.Body, t.Secret) }),
    verify: async (t) => {
      const headers = { ...t.Headers, "X-Shopify-Shop-Domain": "shop.example", "X-Shopify-Api-Version": "2026-07" };
      const settings = { apiKey: "key", apiSecretKey: t.Secret, hostName: "app.example", apiVersion: "2026-07", isEmbeddedApp: false, logger: { level: 0 } };
      const { valid } = await shopifyApi(settings).webhooks.validate({ rawBody: t.Body, rawRequest: { headers, method: "POST", url: "/" }, rawResponse: {} });
      return valid;
    },
  },
};

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const task = JSON.parse(line);
    const answer = await libraries[task.Library][task.Do](task);
    console.log(JSON.stringify(task.Do === "sign" ? { headers: answer } : { valid: answer }));
  }
})();
