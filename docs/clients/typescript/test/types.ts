// Only compiled: the types of operations are those of the schema.
import { Me, Octavo, OctavoError, SignIn, Sessions, type Role, type User } from "../src/index.js";
import { useSession, type SignInFormProps } from "../src/react.js";

export async function use(client: Octavo): Promise<Pick<User, "email"> | undefined> {
  const { signIn } = await client.run(SignIn, { email: "ada@campus.edu", password: "…" });
  const seconds: number = signIn.expiresIn;
  // @ts-expect-error the password is missing
  await client.run(SignIn, { email: "ada@campus.edu" });
  // @ts-expect-error there is no such variable
  await client.run(Me, { email: "ada@campus.edu" });
  // @ts-expect-error sessions may be null
  (await client.run(Sessions, {})).me.sessions.length;
  try {
    const { me } = await client.run(Me, {});
    const role: Role = me.role;
    // @ts-expect-error there is no such role
    const other: Role = "GUEST";
    return seconds > 0 && role !== other ? me : undefined;
  } catch (error) {
    if (error instanceof OctavoError && error.code === "RATE_LIMITED") await new Promise((go) => setTimeout(go, 1000 * (error.retryAfter ?? 1)));
    throw error;
  }
}

export function Typed(): string {
  const { user, signIn } = useSession();
  // @ts-expect-error the password is missing
  void signIn("ada@campus.edu");
  // @ts-expect-error nobody may be signed in
  return user.email;
}
// @ts-expect-error there is no such text
export const form: SignInFormProps = { texts: { signin: "Come in" } };
