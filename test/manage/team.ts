import type { ManageServer } from "../support/manage.ts";
import { Browser, PASSWORD } from "./browser.ts";

export const ORGANIZATION = "/api/organizations/@current/";

/** A member that has come by an invitation, in front of a browser. */
export interface Member {
  uuid: string;
  email: string;
  browser: Browser;
}

let joined = 0;

/** Invites somebody in the owner's name, and accepts. */
export async function join(server: ManageServer, level = 1): Promise<Member> {
  const email = `member${++joined}@example.com`;
  const invited = await server.send("POST", `${ORGANIZATION}invites/`, { body: { target_email: email, level } });
  const { url } = invited.json as { url: string };
  const browser = new Browser(server);
  const reply = await browser.send("POST", `/api/signup/${tokenOf(url)}/`, { first_name: "New", password: PASSWORD });
  if (reply.status !== 200) throw new Error(`signup: ${reply.status} ${reply.text}`);
  return { uuid: (reply.json as { uuid: string }).uuid, email, browser };
}

/** What stands at the end of an invitation's link. */
export const tokenOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);
