import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { INVITE_MS } from "../../src/metadata/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { Browser, PASSWORD, setUp } from "./browser.ts";
import { join, type Member, ORGANIZATION, tokenOf } from "./team.ts";

let server: ManageServer;
let owner: Browser;
beforeAll(async () => {
  server = await startManage();
  owner = await setUp(server);
});
afterAll(() => server.stop());

interface Answer {
  id: string;
  code: string;
  detail: string;
  attr: string | null;
  url: string | null;
  level: number;
  count: number;
  results: { id: string; level: number; user: { uuid: string; email: string }; is_expired: boolean; url: null }[];
}

async function ask(browser: Browser, method: string, path: string, body?: object) {
  const { status, json } = await browser.send(method, `${ORGANIZATION}${path}`, body);
  return { status, json: json as unknown as Answer };
}

const invite = (body: object, by = owner) => ask(by, "POST", "invites/", body);
const members = async () => (await ask(owner, "GET", "members/?limit=1000")).json.results;
const levelOf = async ({ uuid }: Pick<Member, "uuid">) => (await members()).find(({ id }) => id === uuid)?.level;
const levelTo = (by: Browser, { uuid }: Pick<Member, "uuid">, level: number) =>
  ask(by, "PATCH", `members/${uuid}/`, { level });
const owners = async () => (await members()).filter(({ level }) => level === 15);

describe("an invitation", () => {
  test("is a link that is shown once, and stored as a hash", async () => {
    const { status, json } = await invite({ target_email: "Grace@Example.com", first_name: "Grace", level: 8 });
    expect([status, json]).toEqual([
      201,
      expect.objectContaining({ target_email: "Grace@Example.com", level: 8, is_expired: false }) as never,
    ]);
    expect(json.url).toMatch(new RegExp(`^${server.url}/invite/[\\w-]{43}$`));
    const listed = await ask(owner, "GET", "invites/");
    expect(listed.json.results[0]).toMatchObject({ id: json.id, url: null });
    const stored = await server.db.read((tx) => tx`select * from invites`);
    expect(JSON.stringify(stored)).not.toContain(tokenOf(json.url!));
    const log = await owner.send("GET", `${ORGANIZATION}activity_log/?scope=OrganizationInvite`);
    expect(log.text).toContain("Grace@Example.com");
    expect(log.text + server.logged.join("\n")).not.toContain(tokenOf(json.url!));
    const opened = await new Browser(server).send("GET", `/api/signup/${tokenOf(json.url!)}/`);
    expect(opened.json as object).toEqual({
      id: json.id,
      target_email: "Grace@Example.com",
      first_name: "Grace",
      organization_name: "Weir",
    });
  });

  test("makes its holder a member, once, with the level and the address it names", async () => {
    const { json } = await invite({ target_email: "lin@example.com", level: 8 });
    const path = `/api/signup/${tokenOf(json.url!)}/`;
    const body = { first_name: "Lin", password: PASSWORD, email: "other@example.com", level: 15 };
    const tries = await Promise.all([1, 2, 3].map(() => new Browser(server).send("POST", path, body)));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    const lost = tries.find(({ status }) => status === 404)!;
    expect(lost.json as object).toMatchObject({ code: "link_not_found" });
    const made = (await members()).filter(({ user }) => user.email === "lin@example.com");
    expect(made).toEqual([expect.objectContaining({ level: 8 })]);
    expect((await new Browser(server).login(PASSWORD, "lin@example.com")).status).toBe(200);
    for (const method of ["GET", "POST"]) {
      const again = await new Browser(server).send(method, path, method === "GET" ? undefined : body);
      expect([method, again.status]).toEqual([method, 404]);
    }
  });

  test("ends after three days, when it is taken back, and when its address has joined", async () => {
    const late = (await invite({ target_email: "late@example.com" })).json;
    const back = (await invite({ target_email: "back@example.com" })).json;
    const [one, two] = [1, 2].map(() => invite({ target_email: "Twice@example.com" }));
    const [first, second] = [(await one!).json, (await two!).json];
    const open = async ({ url }: Answer) =>
      (await new Browser(server).send("GET", `/api/signup/${tokenOf(url!)}/`)).status;
    expect([await open(late), await open(back), await open(first), await open(second)]).toEqual([200, 200, 200, 200]);
    expect((await ask(owner, "DELETE", `invites/${back.id}/`)).status).toBe(204);
    expect(await open(back)).toBe(404);
    const body = { first_name: "T", password: PASSWORD };
    await new Browser(server).send("POST", `/api/signup/${tokenOf(first.url!)}/`, body);
    expect(await open(second)).toBe(404);
    server.nowMs += INVITE_MS;
    try {
      expect(await open(late)).toBe(404);
      const { results } = (await ask(owner, "GET", "invites/?limit=1000")).json;
      expect(results.find(({ id }) => id === late.id)).toMatchObject({ is_expired: true });
    } finally {
      server.nowMs -= INVITE_MS;
    }
  });

  test("needs an address that is no member's, and no level above that of the one who invites", async () => {
    const admin = await join(server, 8);
    expect((await invite({ target_email: admin.email.toUpperCase() })).json).toMatchObject({
      attr: "target_email",
      detail: "A user with this email address already belongs to the organization.",
    });
    expect((await invite({ target_email: "nobody" })).json).toMatchObject({ attr: "target_email" });
    expect((await invite({})).json).toMatchObject({ attr: "target_email", code: "required" });
    expect((await invite({ target_email: "x@example.com", level: 9 })).json).toMatchObject({ attr: "level" });
    expect((await invite({ target_email: "x@example.com", level: 15 }, admin.browser)).status).toBe(403);
    expect((await invite({ target_email: "x@example.com", level: 8 }, admin.browser)).status).toBe(201);
    const member = await join(server);
    expect((await invite({ target_email: "y@example.com" }, member.browser)).status).toBe(403);
  });

  test("above the level that its maker was lowered to ends", async () => {
    const admin = await join(server, 8);
    const { json } = await invite({ target_email: "high@example.com", level: 8 }, admin.browser);
    await levelTo(owner, admin, 1);
    expect((await new Browser(server).send("GET", `/api/signup/${tokenOf(json.url!)}/`)).status).toBe(404);
  });
});

describe("the level of a member", () => {
  test("is set by admins up to their own, for others alone", async () => {
    const [admin, other, member] = [await join(server, 8), await join(server, 8), await join(server)];
    expect((await levelTo(admin.browser, member, 8)).json).toMatchObject({ level: 8 });
    expect((await levelTo(admin.browser, member, 1)).status).toBe(200);
    expect((await levelTo(admin.browser, member, 15)).json).toMatchObject({
      detail: "You can only change access level of others to lower or equal to your current one.",
    });
    const [first] = await owners();
    expect((await levelTo(admin.browser, { uuid: first!.id }, 1)).json).toMatchObject({
      detail: "You can only edit others with level lower or equal to you.",
    });
    expect((await levelTo(admin.browser, admin, 1)).json).toMatchObject({
      detail: "You can't change your own access level.",
    });
    expect((await levelTo(owner, { uuid: "@me" }, 1)).status).toBe(403);
    expect((await levelTo(member.browser, other, 1)).status).toBe(403);
    expect(await Promise.all([admin, other, member].map(levelOf))).toEqual([8, 8, 1]);
    expect((await ask(owner, "PATCH", `members/${member.uuid}/`, {})).json).toMatchObject({ code: "required" });
  });

  test("counts for sessions and keys at once: no key does more than its user", async () => {
    const admin = await join(server, 8);
    const key = await admin.browser.send("POST", "/api/personal_api_keys/", { label: "k", scopes: ["*"] });
    const { value } = key.json as { value: string };
    const list = async () => [
      (await ask(admin.browser, "GET", "invites/")).status,
      (await server.send("GET", `${ORGANIZATION}invites/`, { key: value })).status,
    ];
    expect(await list()).toEqual([200, 200]);
    await levelTo(owner, admin, 1);
    expect(await list()).toEqual([403, 403]);
    const mine = await server.send("GET", "/api/personal_api_keys/@current/", { key: value });
    expect(mine.status).toBe(200);
    const more = await server.send("POST", "/api/personal_api_keys/", {
      key: value,
      body: { label: "more", scopes: ["*"], level: "admin" },
    });
    expect(more.status).toBe(403);
  });

  test("of an owner goes down by another owner's hand alone; of two that do it at once one stays", async () => {
    for (let round = 0; round < 5; round++) {
      const second = await join(server, 15);
      const [first] = (await owners()).filter(({ id }) => id !== second.uuid);
      const [mine, theirs] = await Promise.all([
        levelTo(owner, second, 1),
        levelTo(second.browser, { uuid: first!.id }, 1),
      ]);
      expect([mine.status, theirs.status].sort()).toEqual([200, 403]);
      expect(await owners().catch(() => [])).toHaveLength(1);
      if (mine.status === 200) continue;
      // The other one was first: it makes an owner again of the one that the tests go on with.
      expect((await levelTo(second.browser, { uuid: first!.id }, 15)).status).toBe(200);
      await levelTo(owner, second, 1);
    }
  });
});

describe("a member that is removed", () => {
  const status = async (browser: Browser) => (await browser.send("GET", "/api/users/@me/")).status;

  test("has no session, no key, no password and no link any more; what it made stays", async () => {
    const member = await join(server);
    const [key, insight] = [
      await member.browser.send("POST", "/api/personal_api_keys/", { label: "k", scopes: ["*"] }),
      await member.browser.send("POST", "/api/environments/1/insights/", { name: "kept" }),
    ];
    const { value } = key.json as { value: string };
    const { id } = insight.json as { id: number };
    const elsewhere = new Browser(server);
    expect((await elsewhere.login(PASSWORD, member.email)).status).toBe(200);
    expect((await ask(owner, "DELETE", `members/${member.uuid}/`)).status).toBe(204);
    expect([await status(member.browser), await status(elsewhere)]).toEqual([401, 401]);
    expect((await server.send("GET", "/api/users/@me/", { key: value })).status).toBe(401);
    expect((await new Browser(server).login(PASSWORD, member.email)).json).toMatchObject({
      code: "invalid_credentials",
    } as never);
    expect(await levelOf(member)).toBeUndefined();
    expect((await ask(owner, "DELETE", `members/${member.uuid}/`)).status).toBe(404);
    const kept = await owner.send("GET", `/api/environments/1/insights/${id}/`);
    expect(kept.json).toMatchObject({ created_by: { email: member.email } } as never);
  });

  test("can come back by another invitation, as somebody else", async () => {
    const member = await join(server);
    const made = await member.browser.send("POST", "/api/environments/1/insights/", { name: "private" });
    const path = `/api/environments/1/insights/${(made.json as { id: number }).id}/`;
    await member.browser.send("PUT", `${path}access_controls/`, { access_level: "none" });
    await ask(owner, "DELETE", `members/${member.uuid}/`);
    const { json } = await invite({ target_email: member.email });
    const again = new Browser(server);
    await again.send("POST", `/api/signup/${tokenOf(json.url!)}/`, { first_name: "Back", password: PASSWORD });
    expect([await status(again), (await again.send("GET", path)).status]).toEqual([200, 404]);
  });

  test("is above nobody's reach but that of higher ones, and leaves by itself", async () => {
    const [admin, other, member] = [await join(server, 8), await join(server, 15), await join(server)];
    const remove = async (by: Browser, uuid: string) => (await ask(by, "DELETE", `members/${uuid}/`)).status;
    expect(await remove(member.browser, admin.uuid)).toBe(403);
    expect(await remove(admin.browser, other.uuid)).toBe(403);
    expect(await remove(member.browser, "@me")).toBe(204);
    expect(await status(member.browser)).toBe(401);
    expect(await remove(other.browser, "@me")).toBe(204);
    const last = await ask(owner, "DELETE", "members/@me/");
    expect([last.status, last.json.code]).toEqual([400, "last_owner"]);
    const key = await server.createKey({ scopes: ["*"], level: "member" });
    const { uuid } = (await owner.send("GET", "/api/users/@me/")).json as { uuid: string };
    expect((await server.send("DELETE", `${ORGANIZATION}members/${uuid}/`, { key: key.value })).status).toBe(403);
  });

  test("in the middle of a change changes nothing", async () => {
    const members = await Promise.all([1, 2, 3, 4].map(() => join(server)));
    await Promise.all(
      members.map(async ({ browser, uuid }) => {
        const [made] = await Promise.all([
          browser.send("POST", "/api/personal_api_keys/", { label: "late", scopes: ["*"] }),
          ask(owner, "DELETE", `members/${uuid}/`),
        ]);
        const { value = "" } = (made.json ?? {}) as { value?: string };
        expect(await status(browser)).toBe(401);
        if (value) expect((await server.send("GET", "/api/users/@me/", { key: value })).status).toBe(401);
      }),
    );
  });
});

describe("a role", () => {
  const role = async (name: string) => (await ask(owner, "POST", "roles/", { name })).json;

  test("has a name of its own, and members", async () => {
    const { id } = await role("Analysts");
    expect((await ask(owner, "POST", "roles/", { name: "analysts" })).json).toMatchObject({
      attr: "name",
      code: "unique",
      detail: "There is already a role with this name.",
    });
    const other = await role("Others");
    expect((await ask(owner, "PATCH", `roles/${other.id}/`, { name: "ANALYSTS" })).status).toBe(400);
    expect((await ask(owner, "PATCH", `roles/${id}/`, { name: "ANALYSTS" })).status).toBe(200);
    const { uuid: user_uuid, browser, email } = await join(server);
    const add = (body: object, by = owner) => ask(by, "POST", `roles/${id}/role_memberships/`, body);
    expect((await add({ user_uuid }, browser)).status).toBe(403);
    const added = await add({ user_uuid });
    expect([added.status, added.json]).toEqual([
      201,
      expect.objectContaining({ role_id: id, user: expect.objectContaining({ email }) }) as never,
    ]);
    expect((await add({ user_uuid })).json).toMatchObject({ detail: "User is already part of the role." });
    expect((await add({ user_uuid: crypto.randomUUID() })).json).toMatchObject({ detail: "User does not exist." });
    const shown = (await ask(browser, "GET", `roles/${id}/`)).json as unknown as { members: { id: string }[] };
    expect(shown.members.map((one) => one.id)).toEqual([added.json.id]);
    expect((await ask(owner, "GET", `roles/${other.id}/role_memberships/${added.json.id}/`)).status).toBe(404);
    expect((await ask(owner, "DELETE", `roles/${id}/role_memberships/${added.json.id}/`)).status).toBe(204);
    expect((await ask(owner, "GET", `roles/${id}/role_memberships/`)).json.count).toBe(0);
  });
});
