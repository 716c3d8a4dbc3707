import type { Octavo } from "./client.js";
import { BeginPasskeySignIn } from "./operations.js";

/** The answer of a browser to a ceremony, for FinishPasskeySignIn. */
export interface PasskeyAnswer {
  id: string;
  response: unknown;
}

/** Whether the browser can answer. */
export const canUsePasskeys = (): boolean => typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** Asks the browser for a passkey: in a dialog, or with "conditional" where it fills in addresses. */
export async function askForPasskey(client: Octavo, signal: AbortSignal, mediation?: "conditional"): Promise<PasskeyAnswer> {
  const { id, options } = (await client.run(BeginPasskeySignIn, {}, signal)).beginPasskeySignIn;
  const { publicKey } = options as { publicKey: PublicKeyCredentialRequestOptionsJSON };
  const credential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey), signal, ...(mediation && { mediation }),
  });
  return { id, response: (credential as PublicKeyCredential).toJSON() };
}

const offeredFor = 4.5 * 60 * 1000; // the server forgets a ceremony after five minutes

/** Offers passkeys among what the browser fills in, while it is on. A button does the same where this fails. */
export class PasskeyOffer {
  readonly #client: Octavo;
  readonly #answered: (answer: PasskeyAnswer) => void;
  #isOn = false;
  #pending: AbortController | undefined;

  constructor(client: Octavo, answered: (answer: PasskeyAnswer) => void) {
    this.#client = client;
    this.#answered = answered;
  }

  turn(on: boolean): void {
    this.#isOn = on;
    this.#pending?.abort();
    this.#pending = undefined;
    void this.renew();
  }

  /** Offers again if the last offer was withdrawn, because it was too old or for the dialog of the button. */
  async renew(): Promise<void> {
    if (!this.#isOn || this.#pending) return;
    const offer = (this.#pending = new AbortController());
    const timer = setTimeout(() => offer.abort(), offeredFor);
    try {
      if (!canUsePasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) throw new Error("no offers");
      this.#answered(await askForPasskey(this.#client, offer.signal, "conditional"));
    } catch {
      if (!offer.signal.aborted) this.#isOn = false;
    } finally {
      clearTimeout(timer);
      if (this.#pending === offer) this.#pending = undefined;
    }
  }
}
