import { NextResponse, type NextRequest } from "next/server";
import { RefreshSession } from "octavo-client";

// Octavo's part of the app: what the client calls, and the pages of a sign-in at an external service.
const octavos = ["/graphql", "/auth/", "/login", "/static/"];

// Runs before every page and route.
export async function proxy(request: NextRequest) {
  const { pathname, search } = request.nextUrl;
  // Browsers see Octavo at the address of this app, so that its cookies are also sent to the pages here.
  if (octavos.some((path) => pathname.startsWith(path))) return NextResponse.rewrite(new URL(pathname + search, process.env.OCTAVO_URL));

  const has = (name: string) => request.cookies.getAll().some((cookie) => cookie.name.endsWith(name));
  if (has("octavo_access") || !has("octavo_refresh")) return NextResponse.next();
  return renewed(request);
}

/** Renews a session whose access token has expired. Server components cannot set cookies, so it happens before them. */
async function renewed(request: NextRequest) {
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const name of ["cookie", "user-agent", "x-forwarded-for"]) headers.set(name, request.headers.get(name) ?? "");
  const answer = await fetch(`${process.env.OCTAVO_URL}/graphql`, {
    method: "POST", headers, body: JSON.stringify({ query: RefreshSession.document, operationName: RefreshSession.name }),
  });
  const cookies = answer.headers.getSetCookie();
  for (const cookie of cookies) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
    request.cookies.set(name, value);
  }
  const response = NextResponse.next({ request });
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}

export const config = { matcher: "/((?!_next/).*)" };
