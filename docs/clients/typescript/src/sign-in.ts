import type { Account, Octavo, Operation } from "./client.js";
import { OctavoError } from "./errors.js";
import {
  CompleteSignIn, FinishPasskeySignIn, RequestPasswordReset, RequestSignInCode, ResendVerification, ResetPassword, SignIn, SignInWays,
  SignInWithCode, SignUp, VerifyEmail, type Lang, type SignInWaysData,
} from "./operations.js";
import { askForPasskey, canUsePasskeys, PasskeyOffer, type PasskeyAnswer } from "./passkeys.js";
import { button, element, fill, type Field } from "./sign-in-dom.js";
import { Frame, type View } from "./sign-in-frame.js";
import { english, french, type SignInTexts } from "./sign-in-texts.js";

export { english, french, type SignInTexts };

export interface SignInOptions {
  client: Octavo;
  /** Called with the user once somebody has signed in. Who signs in at an external service comes back to a new page instead. */
  onSignedIn?: (user: Account) => void;
  /** Where external services send people back to. Default: this page. */
  next?: string;
  /** A language tag. Those of French have French texts, all others English ones. Default: the language of the page. */
  lang?: string;
  /** Replaces some of the texts, or all of them for another language. */
  texts?: Partial<SignInTexts>;
  /** What is shown first. Default: signIn. */
  view?: "signIn" | "signUp" | "forgot";
}

type MailOperation = Operation<unknown, { email: string; lang?: Lang | null }>;

/** Shows a sign-in at the end of an element and returns what removes it. sign-in.css has a style for it. */
export function mountSignIn(target: HTMLElement, options: SignInOptions): () => void {
  const steps = new Steps(options);
  target.append(steps.form);
  return () => steps.remove();
}

class Steps {
  readonly #options: SignInOptions;
  readonly #texts: SignInTexts;
  readonly #lang: "EN" | "FR";
  readonly #frame: Frame;
  readonly #offer: PasskeyOffer;
  readonly #gone = new AbortController();
  #ways!: SignInWaysData;
  #challenge = "";

  constructor(options: SignInOptions) {
    const isFrench = /^fr\b/i.test(options.lang ?? document.documentElement.lang), texts = isFrench ? french : english;
    this.#options = options;
    this.#lang = isFrench ? "FR" : "EN";
    this.#texts = { ...texts, ...options.texts, errors: { ...texts.errors, ...options.texts?.errors } };
    this.#frame = new Frame(this.#texts, options.lang ?? this.#lang, this.#handles);
    this.#offer = new PasskeyOffer(options.client, (answer) => void this.#frame.attempt(() => this.#finish(answer)));
    this.form.addEventListener("focusin", () => void this.#offer.renew());
    void this.#frame.attempt(this.#begin);
  }

  get form(): HTMLFormElement {
    return this.#frame.form;
  }

  remove(): void {
    this.#gone.abort();
    this.#offer.turn(false);
    this.form.remove();
  }

  readonly #run: Octavo["run"] = (operation, variables) => this.#options.client.run(operation, variables, this.#gone.signal);

  readonly #handles = (error: unknown): boolean => {
    if (!(error instanceof OctavoError)) return false;
    if (error.code === "SECOND_FACTOR_REQUIRED") {
      this.#challenge = String(error.extensions["challenge"]);
      this.#factor();
      return true;
    }
    if (error.code === "CHALLENGE_INVALID") this.#signIn();
    return false;
  };

  #show(view: View, offersPasskeys = false): void {
    this.#frame.show(view);
    this.#offer.turn(offersPasskeys);
  }

  readonly #begin = async (): Promise<void> => {
    const { signIn: title, again } = this.#texts, { view } = this.#options;
    this.#show({ title, more: [button("octavo-button", again, () => void this.#frame.attempt(this.#begin))] });
    this.#ways = await this.#run(SignInWays, {});
    if (view === "signUp") this.#signUp();
    else if (view === "forgot") this.#forgot();
    else this.#signIn();
  };

  #signIn(): void {
    const { signInOptions: can, identityProviders } = this.#ways, t = this.#texts, { typed } = this.#frame;
    const others = [
      ...(can.passkey && canUsePasskeys() ? [this.#passkeyButton()] : []),
      ...(this.#options.client.mode === "cookies" ? identityProviders : []).map((provider) => this.#serviceLink(provider)),
    ];
    this.#show({
      title: t.signIn,
      ...(can.password
        ? { fields: [this.#email("username webauthn"), { name: "password", label: t.password, type: "password", autocomplete: "current-password" }, this.#remember()], button: t.signIn }
        : { text: t.useService }),
      submit: () => this.#enter(SignIn, { email: typed.email, password: typed.password, remember: typed.remember }),
      more: [
        can.password && others.length > 0 && element("p", { className: "octavo-or" }, t.or), ...others,
        can.password && this.#link(t.toForgot, () => this.#forgot()), can.code && this.#link(t.toMailedCode, () => this.#mailedCode()),
        can.signUp && this.#link(t.noAccount, () => this.#signUp()),
      ],
    }, can.passkey);
  }

  #signUp(): void {
    const t = this.#texts, { typed } = this.#frame;
    const send = async () => {
      await this.#run(SignUp, { email: typed.email, password: typed.password, lang: this.#lang });
      this.#show({
        ...this.#codeView(t.signUp, ResendVerification, []),
        submit: async () => {
          await this.#run(VerifyEmail, { email: typed.email, code: typed.code.trim() });
          await this.#enterAgain();
        },
      });
    };
    this.#show({ title: t.signUp, fields: [this.#email("username"), this.#newPassword(t.password)], button: t.continue, submit: send, more: [this.#back()] });
  }

  #forgot(): void {
    const t = this.#texts, { typed } = this.#frame;
    this.#mail(t.forgot, RequestPasswordReset, () => ({
      ...this.#codeView(t.reset, RequestPasswordReset, [this.#newPassword(t.newPassword)]),
      submit: async () => {
        await this.#run(ResetPassword, { email: typed.email, code: typed.code.trim(), newPassword: typed.password });
        await this.#enterAgain();
      },
    }));
  }

  #mailedCode(): void {
    const t = this.#texts, { typed } = this.#frame;
    this.#mail(t.mailedCode, RequestSignInCode, () => ({
      ...this.#codeView(t.mailedCode, RequestSignInCode, [this.#remember()]),
      submit: () => this.#enter(SignInWithCode, { email: typed.email, code: typed.code.trim(), remember: typed.remember }),
    }));
  }

  #factor(recovery = false): void {
    const t = this.#texts, { typed } = this.#frame;
    this.#show({
      title: t.factor,
      fields: [recovery ? { name: "code", label: t.recoveryCode, autocomplete: "off" } : { name: "code", label: t.appCode, autocomplete: "one-time-code", inputMode: "numeric" }],
      button: t.continue,
      submit: () => this.#enter(CompleteSignIn, { challenge: this.#challenge, code: typed.code.trim(), remember: typed.remember }),
      more: [
        this.#ways.signInOptions.passkey && canUsePasskeys() && this.#passkeyButton(),
        this.#link(recovery ? t.useAppCode : t.useRecoveryCode, () => this.#factor(!recovery)), this.#back(),
      ],
    });
  }

  /** Asks for an address, has a code mailed to it and goes on. */
  #mail(title: string, request: MailOperation, next: () => View): void {
    const t = this.#texts, { typed } = this.#frame;
    this.#show({
      title, fields: [this.#email("username")], button: t.sendCode, more: [this.#back()],
      submit: async () => {
        await this.#run(request, { email: typed.email, lang: this.#lang });
        this.#show(next());
      },
    });
  }

  /** Asks for the code of a mail, which can be sent again. */
  #codeView(title: string, resend: MailOperation, fields: Field[]): View {
    const t = this.#texts, { typed } = this.#frame, text = fill(t.codeSent, { email: typed.email });
    const again = () => void this.#frame.attempt(async () => {
      this.#frame.say("");
      await this.#run(resend, { email: typed.email, lang: this.#lang });
      this.#frame.say(text);
    });
    return {
      title, text, button: t.continue, more: [this.#link(t.resend, again), this.#back()],
      fields: [{ name: "code", label: t.code, autocomplete: "one-time-code", inputMode: "numeric" }, ...fields],
    };
  }

  /** Signs in with what was typed for a new password. */
  #enterAgain(): Promise<void> {
    const { email, password, remember } = this.#frame.typed;
    this.#signIn();
    return this.#enter(SignIn, { email, password, remember });
  }

  readonly #enter = async <Data extends Record<keyof Data, { user: Account }>, Variables>(operation: Operation<Data, Variables>, variables: Variables): Promise<void> => {
    const [{ user }] = Object.values(await this.#run(operation, variables)) as [{ user: Account }];
    this.#frame.typed.password = "";
    this.#show({ title: this.#texts.signIn, text: fill(this.#texts.signedIn, { email: user.email }) });
    this.#options.onSignedIn?.(user);
  };

  readonly #finish = ({ id, response }: PasskeyAnswer): Promise<void> =>
    this.#enter(FinishPasskeySignIn, { id, response, remember: this.#frame.typed.remember });

  #passkeyButton(): Node {
    return button("octavo-button", this.#texts.passkey, () => {
      this.#offer.turn(false); // a browser asks once at a time
      void this.#frame.attempt(async () => this.#finish(await askForPasskey(this.#options.client, this.#gone.signal)));
    });
  }

  #serviceLink({ name, label }: { name: string; label: string }): Node {
    const next = new URL(this.#options.next ?? "", location.href).href;
    return element("a", {
      className: "octavo-button", href: `${this.#options.client.url}/auth/oidc/${encodeURIComponent(name)}?${new URLSearchParams({ next })}`,
    }, fill(this.#texts.service, { label }));
  }

  #link(label: string, press: () => void): Node {
    return button("octavo-link", label, press);
  }

  #back(): Node {
    return this.#link(this.#texts.back, () => this.#signIn());
  }

  #email(autocomplete: AutoFill): Field {
    return { name: "email", label: this.#texts.email, type: "email", autocomplete, value: this.#frame.typed.email };
  }

  #newPassword(label: string): Field {
    return { name: "password", label, type: "password", autocomplete: "new-password", hint: this.#texts.passwordRule };
  }

  #remember(): Field {
    return { name: "remember", label: this.#texts.remember, type: "checkbox", checked: this.#frame.typed.remember };
  }
}
