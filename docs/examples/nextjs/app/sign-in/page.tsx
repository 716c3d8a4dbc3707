import { redirect } from "next/navigation";
import { currentUser } from "../../session";
import { SignIn } from "../client";

export default async function SignInPage() {
  if (await currentUser()) redirect("/account");
  return <SignIn />;
}
