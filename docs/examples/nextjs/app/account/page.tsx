import { redirect } from "next/navigation";
import { currentUser } from "../../session";

export default async function AccountPage() {
  const user = await currentUser();
  if (!user) redirect("/sign-in");
  return <><h1>Your account</h1><p>You are number {user.id}, with the role {user.role}.</p></>;
}
