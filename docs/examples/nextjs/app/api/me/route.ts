import { currentUser } from "../../../session";

export async function GET() {
  const user = await currentUser();
  return user ? Response.json(user) : Response.json({ error: "Please sign in." }, { status: 401 });
}
