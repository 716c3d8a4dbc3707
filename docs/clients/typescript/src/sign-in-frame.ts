import { OctavoError } from "./errors.js";
import { element, fieldMaker, fill, type Field } from "./sign-in-dom.js";
import type { SignInTexts } from "./sign-in-texts.js";

/** One state of the form. */
export interface View {
  title: string;
  text?: string;
  fields?: Field[];
  /** Without one there is nothing to send. */
  button?: string;
  submit?: () => Promise<unknown>;
  /** After the button. */
  more?: (Node | false)[];
}

/** What people have typed, in this view or one before. */
export interface Typed {
  email: string;
  password: string;
  code: string;
  remember: boolean;
}

// The field to which an error belongs.
const fieldOf: Readonly<Record<string, string>> = {
  EMAIL_INVALID: "email", INVALID_CREDENTIALS: "password", PASSWORD_INVALID: "password", CODE_INVALID: "code",
};

/** The form: it shows one view after the other, runs what people ask for and tells them what failed. */
export class Frame {
  readonly typed: Typed = { email: "", password: "", code: "", remember: false };
  readonly form: HTMLFormElement;
  readonly #texts: SignInTexts;
  readonly #lang: string;
  readonly #handles: (error: unknown) => boolean;
  readonly #field = fieldMaker();
  readonly #title = element("h2", { tabIndex: -1 });
  readonly #status = element("p", { className: "octavo-status", role: "status" });
  readonly #alert = element("p", { className: "octavo-alert", role: "alert" });
  readonly #body = element("div", { className: "octavo-body" });
  #submit: () => Promise<unknown> = async () => {};
  #isBusy = false;

  /** An error that the last argument handles is not shown. */
  constructor(texts: SignInTexts, lang: string, handles: (error: unknown) => boolean) {
    this.#texts = texts;
    this.#lang = lang;
    this.#handles = handles;
    this.form = element("form", { className: "octavo-sign-in", ariaLabel: texts.signIn }, this.#title, this.#status, this.#alert, this.#body);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#collect();
      void this.attempt(this.#submit);
    });
  }

  /** Shows a view. The focus follows unless this is the first one, which must not take it from the page. */
  show({ title, text = "", fields = [], button, submit = async () => {}, more = [] }: View, alert = ""): void {
    const hadFocus = this.form.contains(document.activeElement);
    this.#collect();
    this.#submit = submit;
    this.#title.textContent = title;
    this.say(text);
    this.#alert.textContent = alert;
    this.#body.replaceChildren(...[
      ...fields.map(this.#field), !!button && element("button", { className: "octavo-button octavo-main" }, button), ...more,
    ].filter((part) => part !== false));
    if (hadFocus) (this.#body.querySelector("input") ?? this.#title).focus();
  }

  say(text: string): void {
    this.#status.textContent = text;
  }

  /** Runs work unless other work is running, and shows why it failed. */
  async attempt(work: () => Promise<unknown>): Promise<void> {
    if (this.#isBusy) return;
    this.#setBusy(true);
    this.#alert.textContent = "";
    for (const input of this.form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
    try {
      await work();
    } catch (error) {
      if (!this.#handles(error)) this.#report(error);
    } finally {
      this.#setBusy(false);
    }
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy;
    this.form.ariaBusy = String(isBusy);
  }

  #collect(): void {
    for (const { name, type, checked, value } of this.form.querySelectorAll("input")) {
      Object.assign(this.typed, { [name]: type === "checkbox" ? checked : value });
    }
  }

  #report(error: unknown): void {
    if (error instanceof OctavoError) {
      this.#alert.textContent = this.#sentence(error);
      const input = this.form.querySelector<HTMLInputElement>(`[name="${fieldOf[error.code]}"]`);
      input?.setAttribute("aria-invalid", "true");
      input?.focus();
    } else if (!(error instanceof DOMException)) {
      throw error; // of the page's own code
    } else if (error.name !== "NotAllowedError" && error.name !== "AbortError") { // people who close a dialog know that they did
      this.#alert.textContent = this.#texts.passkeyFailed;
    }
  }

  #sentence({ code, message, extensions, retryAfter = 0 }: OctavoError): string {
    const { errors, wait } = this.#texts;
    const text = errors[String(extensions["reason"])] ?? errors[code] ?? message;
    if (!retryAfter) return text;
    const [size, unit] = retryAfter < 90 ? [1, "second"] as const : retryAfter < 5400 ? [60, "minute"] as const : [3600, "hour"] as const;
    return `${text} ${fill(wait, { when: new Intl.RelativeTimeFormat(this.#lang).format(Math.ceil(retryAfter / size), unit) })}`;
  }
}
