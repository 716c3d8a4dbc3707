"use client";

import {
  createContext, createElement, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactElement, type ReactNode,
} from "react";
import type { Account, Octavo } from "./client.js";
import { SessionStore, type SessionState } from "./session.js";
import { mountSignIn, type SignInOptions } from "./sign-in.js";

export type { SessionState };

const Context = createContext<{ client: Octavo; store: SessionStore } | undefined>(undefined);

export interface OctavoProviderProps {
  /** One client for the whole page; make it outside of components. */
  client: Octavo;
  /** Whom the server has found while it rendered the page, null if nobody. Without it the page asks when it has loaded. */
  user?: Account | null | undefined;
  children?: ReactNode;
}

/** Gives the components within it the session of a client. */
export function OctavoProvider({ client, user, children }: OctavoProviderProps): ReactElement {
  const [known] = useState(user), latest = useRef(user);
  const value = useMemo(() => ({ client, store: new SessionStore(client, known) }), [client, known]);
  useEffect(() => value.store.start(), [value]);
  useEffect(() => {
    if (user === undefined || user === latest.current) return;
    latest.current = user;
    value.store.know(user);
  }, [value, user]);
  return createElement(Context.Provider, { value }, children);
}

function useProvided(): { client: Octavo; store: SessionStore } {
  const provided = useContext(Context);
  if (!provided) throw new Error("This needs an OctavoProvider around it.");
  return provided;
}

/** The client of the provider, for operations of one's own. */
export function useOctavo(): Octavo {
  return useProvided().client;
}

export interface Session extends SessionState {
  /** Signs in, or rejects with an OctavoError: of code SECOND_FACTOR_REQUIRED, run CompleteSignIn with its challenge. */
  signIn(email: string, password: string, remember?: boolean): Promise<Account>;
  signOut(): Promise<void>;
  /** Asks the server again who is signed in. A page that gets the focus does so by itself. */
  reload(): Promise<void>;
}

/** Who is signed in, and what changes that. */
export function useSession(): Session {
  const { store } = useProvided();
  const state = useSyncExternalStore(store.subscribe, store.get, () => store.initial);
  return useMemo(() => ({ ...state, signIn: store.signIn, signOut: store.signOut, reload: store.reload }), [state, store]);
}

/** The user who is signed in: null if nobody is, undefined as long as that is not known. */
export function useUser(): Account | null | undefined {
  const { user, loading, error } = useSession();
  return loading || error ? undefined : user;
}

export interface SignInFormProps extends Omit<SignInOptions, "client"> {
  className?: string;
}

/** The whole sign-in of sign-in.ts as a component. A change of texts shows when it is mounted the next time. */
export function SignInForm({ className, lang, next, view, ...latest }: SignInFormProps): ReactElement {
  const client = useOctavo(), target = useRef<HTMLDivElement>(null), props = useRef(latest);
  useEffect(() => { props.current = latest; });
  useEffect(() => {
    const { texts } = props.current;
    return mountSignIn(target.current!, {
      client, ...(lang && { lang }), ...(next && { next }), ...(view && { view }), ...(texts && { texts }),
      onSignedIn: (user) => props.current.onSignedIn?.(user),
    });
  }, [client, lang, next, view]);
  return createElement("div", { ref: target, className });
}
