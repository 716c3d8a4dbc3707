"use client";

import { useRouter } from "next/navigation";
import { Octavo, type Account } from "octavo-client";
import { OctavoProvider, SignInForm, useSession } from "octavo-client/react";
import type { ReactNode } from "react";

const octavo = new Octavo({ url: "", mode: "cookies" });

export function Provider({ user, children }: { user: Account | null; children: ReactNode }) {
  return <OctavoProvider client={octavo} user={user}>{children}</OctavoProvider>;
}

/** The name of the user and a button, on every page. */
export function Header() {
  const { user, signOut } = useSession(), router = useRouter();
  if (!user) return <header><a href="/account">Sign in</a></header>;
  const leave = async () => {
    await signOut();
    router.push("/");
    router.refresh(); // the server renders again, for nobody
  };
  return <header>{user.email} <button onClick={leave}>Sign out</button></header>;
}

export function SignIn() {
  const router = useRouter();
  const enter = () => {
    router.push("/account");
    router.refresh();
  };
  return <SignInForm next="/account" onSignedIn={enter} />;
}
