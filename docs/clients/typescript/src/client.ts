import { errorOf, OctavoError } from "./errors.js";
import { type MeData, RefreshSession, SignOut } from "./operations.js";

/** The user who is signed in, as the operations of this package return it. */
export type Account = MeData["me"];

/** An operation with the types of its data and variables. operations.ts has the usual ones. */
export interface Operation<Data, Variables> {
  readonly name: string;
  readonly document: string;
  /** Never there; it ties the types to the operation. */
  readonly types?: { data: Data; variables: Variables };
}

/** The tokens of a session, in bearer mode. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  /** When the access token expires, in milliseconds as Date.now() counts them. */
  expiresAt: number;
}

/** Holds the tokens in bearer mode. One that all tabs share, such as localStorage, lets them share a session. */
export interface TokenStore {
  get(): Tokens | undefined;
  set(tokens: Tokens | undefined): void;
}

/** Holds the tokens in memory, where no other script can read them; a reload forgets them. */
export function memoryStore(): TokenStore {
  let kept: Tokens | undefined;
  return { get: () => kept, set: (tokens) => { kept = tokens; } };
}

export interface Options {
  /** Such as https://books.example.edu; "" for the origin of the page. */
  url: string;
  /** cookies: the server sets them and the browser sends them, for pages. bearer: this client sends a token. */
  mode: "cookies" | "bearer";
  /** In bearer mode. Default: memoryStore(). */
  store?: TokenStore;
  /** Called when an operation needs a user and there is no session any more: ask for a sign-in. */
  onSignedOut?: () => void;
  /** How long a request may take, in milliseconds. Default: 30,000. */
  timeout?: number;
  fetch?: typeof fetch;
}

const renewBefore = 10_000;

/** A client of the auth service. After a sign-in it renews the session by itself, once for all calls and tabs. */
export class Octavo {
  /** As in the options, without a slash at the end. */
  readonly url: string;
  readonly mode: Options["mode"];
  readonly #options: Options;
  readonly #store: TokenStore;
  readonly #listeners = new Set<(user: Account | null) => void>();
  #refreshing: Promise<boolean> | undefined;
  #refreshedAt = -Infinity;
  #changes = 0;

  constructor(options: Options) {
    this.url = options.url.replace(/\/$/, "");
    this.mode = options.mode;
    this.#options = options;
    this.#store = options.store ?? memoryStore();
  }

  /**
   * Runs an operation and returns its data; every failure is an OctavoError, except an abort. An
   * operation that was refused because the session needs a refresh is sent once more after it, so a
   * document should have one mutation.
   */
  async run<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables, signal?: AbortSignal): Promise<Data> {
    if (this.#isExpiring()) await this.#refresh(this.#store.get()?.accessToken, performance.now());
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const sentAt = performance.now();
      const token = this.#bearer ? this.#store.get()?.accessToken : undefined;
      try {
        const data = await this.#send(operation, variables, token, signal);
        if ((operation as unknown) === SignOut) this.#forget();
        else this.#remember(data);
        return data;
      } catch (error) {
        const mayHelp = error instanceof OctavoError && error.isExpired && (!this.#bearer || token !== undefined);
        if (!mayHelp || attempt === 3 || !(await this.#refresh(token, sentAt))) throw error;
      }
    }
  }

  /** In bearer mode: an access token for requests to other services, undefined if nobody is signed in. */
  async accessToken(): Promise<string | undefined> {
    if (this.#isExpiring()) await this.#refresh(this.#store.get()?.accessToken, performance.now());
    return this.#store.get()?.accessToken;
  }

  /** Calls a listener after each sign-in and refresh by this client with the user, and after the end of a session with null. Returns what stops that. */
  subscribe(listener: (user: Account | null) => void): () => void {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  }

  get #bearer(): boolean {
    return this.mode === "bearer";
  }

  #isExpiring(): boolean {
    const tokens = this.#bearer ? this.#store.get() : undefined;
    return tokens !== undefined && tokens.expiresAt - Date.now() < renewBefore;
  }

  /**
   * Refreshes the session unless that has happened since the token was read or the request was sent.
   * False if there is nothing to refresh. All calls of this page share one refresh.
   */
  #refresh(token: string | undefined, sentAt: number): Promise<boolean> {
    if (this.#isRefreshed(token, sentAt)) return Promise.resolve(true);
    this.#refreshing ??= this.#once((waited) => this.#refreshAlone(token, sentAt, waited))
      .finally(() => { this.#refreshing = undefined; });
    return this.#refreshing;
  }

  #isRefreshed(token: string | undefined, sentAt: number): boolean {
    const tokens = this.#store.get();
    return this.#bearer ? tokens !== undefined && tokens.accessToken !== token : this.#refreshedAt > sentAt;
  }

  async #refreshAlone(token: string | undefined, sentAt: number, waited: boolean): Promise<boolean> {
    // Another tab has refreshed while this one waited. Its cookies are ours; its tokens are if the store is.
    if (waited && !this.#bearer) this.#refreshedAt = performance.now();
    if (this.#isRefreshed(token, sentAt)) return true;
    const before = this.#store.get(), changes = this.#changes;
    if (this.#bearer && before === undefined) return false;
    // Somebody may sign in or out meanwhile, here or in another tab.
    const isCurrent = () => this.#changes === changes && this.#store.get()?.refreshToken === before?.refreshToken;
    try {
      const data = await this.#send(RefreshSession, this.#bearer ? { refreshToken: before!.refreshToken } : {}, undefined);
      this.#refreshedAt = performance.now();
      if (isCurrent()) this.#remember(data);
      return true;
    } catch (error) {
      if (!(error instanceof OctavoError) || error.code !== "SESSION_INVALID") throw error;
      if (isCurrent()) this.#forget();
      this.#options.onSignedOut?.();
      return false;
    }
  }

  /**
   * Runs work while no other tab does, and tells it whether it had to wait for one. Without locks each
   * tab refreshes for itself; the server gives all of them the same next tokens.
   */
  async #once(work: (waited: boolean) => Promise<boolean>): Promise<boolean> {
    const locks = globalThis.navigator?.locks;
    if (!locks) return work(false);
    const name = `octavo refresh ${this.url}`;
    const done = await locks.request(name, { ifAvailable: true }, async (lock) => (lock ? { result: await work(false) } : undefined));
    return done ? done.result : locks.request(name, () => work(true));
  }

  /** Stores the tokens of an operation that signs in. */
  #remember(data: unknown): void {
    for (const value of Object.values(data ?? {})) {
      const { accessToken, refreshToken, expiresIn, user } = (value ?? {}) as Record<string, unknown>;
      if (typeof accessToken !== "string" || typeof refreshToken !== "string") continue;
      if (this.#bearer) this.#store.set({ accessToken, refreshToken, expiresAt: Date.now() + Number(expiresIn) * 1000 });
      if (user) this.#tell(user as Account);
    }
  }

  #forget(): void {
    this.#store.set(undefined);
    this.#tell(null);
  }

  #tell(user: Account | null): void {
    this.#changes++;
    for (const listener of this.#listeners) listener(user);
  }

  async #send<Data, Variables>(operation: Operation<Data, Variables>, variables: Variables, token: string | undefined, signal?: AbortSignal): Promise<Data> {
    const { timeout = 30_000, fetch: send = fetch } = this.#options;
    const limit = AbortSignal.timeout(timeout);
    let body: unknown;
    try {
      const response = await send(`${this.url}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ query: operation.document, operationName: operation.name, variables }),
        credentials: this.#bearer ? "omit" : "include",
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      body = await response.json();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new OctavoError("The server could not be reached. Please try again.", "NO_ANSWER", {}, { cause });
    }
    const error = errorOf(body);
    if (error) throw error;
    const data = (body as { data?: Data } | null)?.data;
    if (data == null) throw new OctavoError("The server's answer is not GraphQL.", "NO_ANSWER");
    return data;
  }
}
