import "octavo-client/sign-in.css";
import type { ReactNode } from "react";
import { currentUser } from "../session";
import { Header, Provider } from "./client";

export const metadata = { title: "An app with Octavo" };

export default async function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Provider user={await currentUser()}>
          <Header />
          <main>{children}</main>
        </Provider>
      </body>
    </html>
  );
}
