import { cookies } from "next/headers";
import { cache } from "react";
import { Me, type Account } from "octavo-client";

/** Who sent the request, null if nobody is signed in. Octavo is asked once for each request: whose session was ended is out at once. */
export const currentUser = cache(async (): Promise<Account | null> => {
  const cookie = (await cookies()).toString();
  if (!cookie.includes("octavo_access=")) return null;
  const response = await fetch(`${process.env.OCTAVO_URL}/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Cookie: cookie },
    body: JSON.stringify({ query: Me.document, operationName: Me.name }),
    cache: "no-store",
  });
  const { data, errors } = await response.json();
  if (data?.me) return data.me;
  if (errors?.[0]?.extensions?.code === "UNAUTHENTICATED") return null;
  throw new Error(`Octavo answered ${response.status}`);
});
