import type { Account, Octavo } from "./client.js";
import { OctavoError } from "./errors.js";
import { Me, SignIn, SignOut } from "./operations.js";

/** Who is signed in, as far as this page knows. */
export interface SessionState {
  /** Null if nobody is signed in, and until the server has answered. */
  readonly user: Account | null;
  /** Whether the first answer is still to come. */
  readonly loading: boolean;
  /** Why it could not be found out. A page that gets the focus tries again. */
  readonly error: OctavoError | undefined;
}

/** Asks once for all parts of a page who is signed in, and learns of every sign-in and sign-out. */
export class SessionStore {
  readonly #client: Octavo;
  readonly #listeners = new Set<() => void>();
  /** What the server rendered, with which a page begins, too. */
  readonly initial: SessionState;
  #state: SessionState;
  #asking: Promise<void> | undefined;
  #changes = 0;

  /** Known is the user whom a server has found, null if it has found nobody. */
  constructor(client: Octavo, known?: Account | null) {
    this.#client = client;
    this.initial = this.#state = { user: known ?? null, loading: known === undefined, error: undefined };
  }

  readonly get = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => { this.#listeners.delete(listener); };
  };

  /** Begins to follow the session, also into other tabs: a page that gets the focus asks again. Returns what stops that. */
  start(): () => void {
    const unsubscribe = this.#client.subscribe((user) => this.know(user));
    const ask = () => void this.reload();
    window.addEventListener("focus", ask);
    if (this.#state.loading) ask();
    return () => {
      unsubscribe();
      window.removeEventListener("focus", ask);
    };
  }

  readonly know = (user: Account | null): void => {
    this.#changes++;
    this.#set({ user, loading: false, error: undefined });
  };

  readonly reload = (): Promise<void> => (this.#asking ??= this.#ask().finally(() => { this.#asking = undefined; }));

  readonly signIn = async (email: string, password: string, remember = false): Promise<Account> =>
    (await this.#client.run(SignIn, { email, password, remember })).signIn.user;

  readonly signOut = async (): Promise<void> => { await this.#client.run(SignOut, {}); };

  async #ask(): Promise<void> {
    const changes = this.#changes;
    const answer: Partial<SessionState> = await this.#client.run(Me, {}).then(
      ({ me }) => ({ user: me }),
      // Whoever was found before stays: a laptop that wakes up has no network for a moment.
      (error: OctavoError) => (error.code === "UNAUTHENTICATED" ? { user: null } : this.#state.loading ? { error } : this.#state),
    );
    // What is known by now is newer than the answer.
    if (changes === this.#changes) this.#set({ user: this.#state.user, error: undefined, ...answer, loading: false });
  }

  #set(state: SessionState): void {
    const { error, ...rest } = this.#state, { error: next, ...other } = state;
    if (error === next && JSON.stringify(rest) === JSON.stringify(other)) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
