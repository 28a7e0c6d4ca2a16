import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { weirOn } from "../commands/weirProcess.ts";
import { EXPORTING } from "../support/weir.ts";
import { Stage } from "./support/stage.ts";
import type { Looks, Visitor } from "./support/visitor.ts";

const WIDE: Looks = { width: 1440, scheme: "light" };
const NARROW: Looks = { width: 360, scheme: "dark" };
const ROWS = 300;
const IMPORTS = "/api/environments/1/imports/";
const EXPORTS = "/api/environments/1/batch_exports/";

let stage: Stage;
let folder: string;
let window: BrowserContext;
/** Beside the owner a member without further rights looks at the same. */
let owner: Visitor;
let lin: Visitor;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-transfers-"));
  stage = await Stage.open({ env: EXPORTING });
  await stage.logIn();
  window = await stage.join("Lin");
  [owner, lin] = await Promise.all([stage.enter(WIDE), stage.enter(NARROW, window)]);
});
afterAll(async () => {
  await window.close();
  await stage[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function asked(method: string, path: string, body?: object): Promise<Record<string, unknown> & { id: string }> {
  const { status, json } = await stage.weir.manage(method, path, body);
  expect([path, status < 300]).toEqual([path, true]);
  return json as Record<string, unknown> & { id: string };
}

const button = ({ page }: Visitor, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const dialogOf = ({ page }: Visitor) => page.getByRole("dialog");
const both = (act: (one: Visitor) => Promise<unknown>) => Promise.all([owner, lin].map(act));

/** Rows of which five become no events; one is what a stranger may have sent. */
function writeRows(): string {
  const path = join(folder, "rows.jsonl");
  const row = (more: object) => JSON.stringify({ event: "bought", distinct_id: "u", timestamp: "2026-01-02", ...more });
  const good = Array.from({ length: ROWS }, (_, n) => row({ distinct_id: `user-${n % 7}`, properties: { n } }));
  const bad = [
    ...Array.from({ length: 4 }, () => row({ timestamp: "31.02.2024" })),
    row({ event: "", properties: { note: "<img src=x onerror=alert(1)>" } }),
  ];
  writeFileSync(path, [...good, ...bad].join("\n"));
  return path;
}

describe("imports", () => {
  test("show what became of the rows, and are undone by admins alone, which others see at once", async () => {
    const path = writeRows();
    expect((await weirOn(stage.weir.dataDir, ["import", "file", path, "--project", "1"])).code).toBe(0);
    await lin.open("/project/1/imports");
    const link = lin.page.getByRole("link", { name: `files ${path}` });
    await lin.sees(link);
    const row = lin.page.getByRole("table", { name: "Imports" }).getByRole("row").nth(1);
    expect((await row.getByRole("cell").allTextContents()).slice(1, 6)).toEqual(["Done", "305", "300", "0", "5"]);
    await lin.expectFine();
    await link.click();
    await lin.sees("Each row is accounted for: every event that was sent was looked up.");
    await lin.sees(`${path}:301`);
    await lin.sees("The event has no name");
    await lin.sees(
      '{"event":"","distinct_id":"u","timestamp":"2026-01-02","properties":{"note":"<img src=x onerror=alert(1)>"}}',
    );
    expect(await lin.page.getByText(`${path}:304`).count()).toBe(0);
    expect(await button(lin, "Undo").count()).toBe(0);
    await lin.expectFine();

    await owner.open(lin.address);
    await button(owner, "Undo").click();
    await owner.sees("300 events will be deleted for good, for everyone. 7 persons have no other events");
    await owner.expectFine();
    await button(owner, "Delete its events").click();
    await both((one) => one.sees("Undone"));
    await button(owner, "Undo").waitFor({ state: "detached" });
    expect(await stage.weir.number("select count() from events")).toBe(0);
    // Nothing of the rows is shown any more.
    await lin.page.getByText(`${path}:301`).waitFor({ state: "detached" });
  });

  test("renew themselves while an importer is at work, and pause", async () => {
    const made = await asked("POST", IMPORTS, { source: "mixpanel", origin: "project 7", mapping_hash: "x" });
    const note = (body: object) => asked("PATCH", `${IMPORTS}${made.id}/`, body);
    await note({ state: "sending", counts: { rows: 4_100, stored: 4_000, rejected: 3, share: 0.41 } });
    await owner.open("/project/1/imports");
    await owner.sees(owner.page.getByRole("row", { name: /Mixpanel project 7 Sending\s?41% 4,100 4,000 0 3/ }));
    await owner.page.getByRole("link", { name: "Mixpanel project 7" }).click();
    await lin.open(`/project/1/imports/${made.id}`);
    await both((one) => one.sees(one.page.getByRole("progressbar", { name: "Sending" })));
    await note({ state: "sending", counts: { rows: 8_200, stored: 8_000, rejected: 3, share: 0.82 } });
    await both((one) => one.sees("8,200"));
    await lin.expectFine();
    await button(lin, "Pause").click();
    await both((one) => one.sees("Pausing"));
    expect(await note({ state: "sending" })).toMatchObject({ state: "stopping" });
    await note({ state: "paused" });
    await both((one) => one.sees(`weir import resume ${made.id}`));
    await owner.expectFine();
  });

  test("begin with a command that has all but the secrets, and a key for it", async () => {
    await owner.open("/project/1/imports");
    await owner.page.getByLabel("From").selectOption("Amplitude");
    await owner.sees("AMPLITUDE_SECRET_KEY");
    await owner.page.getByText("A bucket", { exact: true }).click();
    await owner.sees(`--project 1 --url ${stage.weir.url}`);
    await button(owner, "Make a key for it").click();
    const key = await dialogOf(owner).getByLabel("WEIR_API_KEY").inputValue();
    await owner.expectFine();
    const status = async (method: string, path: string) =>
      (await fetch(`${stage.weir.url}${path}`, { method, headers: { Authorization: `Bearer ${key}` } })).status;
    expect([await status("GET", IMPORTS), await status("POST", EXPORTS)]).toEqual([200, 403]);
    await button(owner, "Done").click();
  });
});

describe("exports", () => {
  let address = "";

  test("are made, tried, run, paused and run again, and another member sees it", async () => {
    await stage.weir.batch([1, 2, 3].map((n) => ({ event: "bought", distinct_id: `u${n}` })));
    await stage.weir.waitStored();
    const { page } = owner;
    await owner.open("/project/1/exports");
    await owner.clicks("link", "New export");
    await page.getByLabel("Name", { exact: true }).fill("All events");
    await page.getByLabel("What").selectOption("A query in SQL");
    await page.getByLabel("Query").fill("select event, distinct_id from events");
    await page.getByLabel("To", { exact: true }).selectOption("A folder of Weir's machine");
    await page.getByLabel("Folder", { exact: true }).fill("/etc/nightly");
    await button(owner, "Test the connection").click();
    await owner.sees(/This folder is not allowed/);
    await owner.expectFine();
    await page.getByLabel("Folder", { exact: true }).fill("nightly");
    await page.getByLabel("Format").selectOption("Lines of JSON");
    expect(await page.getByLabel("Packed with").inputValue()).toBe("gzip");
    await button(owner, "Test the connection").click();
    await owner.sees("It works");
    await button(owner, "Make the export").click();
    await owner.sees(page.getByRole("heading", { name: "All events" }));
    address = owner.address;
    await owner.sees("No run yet: the first begins when its interval is over");

    await lin.open(address);
    await lin.sees(button(lin, "Export the past"));
    await button(owner, "Export the past").click();
    await owner.expectFine();
    await button(owner, "Export it").click();
    const runs = ({ page: of }: Visitor) => of.getByRole("table", { name: "Runs" });
    await both((one) => one.sees(runs(one).getByRole("row", { name: /^the beginning – .* Done 3 \d+ bytes/ })));
    const { dataDir } = stage.weir;
    expect(readdirSync(join(dataDir, "exports", "folders", "nightly")).join()).toMatch(/\.jsonl\.gz$/);
    await lin.expectFine();
    await runs(owner)
      .getByRole("button", { name: /^Log of/ })
      .click();
    await owner.sees(dialogOf(owner).getByRole("row").nth(1));
    await owner.expectFine();
    await owner.presses("Escape");
    await runs(owner)
      .getByRole("button", { name: /^Run again/ })
      .click();
    await both((one) => one.sees(runs(one).getByRole("row").nth(2)));

    await button(lin, "Pause").click();
    await both((one) => one.sees("Paused: no run is begun until it goes on."));
    await button(owner, "Go on").click();
    await dialogOf(owner).getByRole("button", { name: "Go on" }).click();
    await both((one) => one.sees(button(one, "Pause")));

    await button(owner, "Edit").click();
    await page.getByLabel("Name", { exact: true }).fill("Every event");
    await owner.expectFine();
    await button(owner, "Save").click();
    await both((one) => one.sees(one.page.getByRole("heading", { name: "Every event" })));
  });

  test("say why a run failed, and never what is secret", async () => {
    const destination = {
      type: "S3Compatible",
      config: {
        ...{
          bucket_name: "b",
          endpoint_url: "http://10.0.0.1",
          aws_access_key_id: "id",
          aws_secret_access_key: "not to be seen",
        },
        ...{ file_format: "JSONLines", prefix: "<i>" },
      },
    };
    const query = { model: "hogql", hogql_query: "select event from events" };
    const made = await asked("POST", EXPORTS, { name: "Away <b>", interval: "hour", destination, ...query });
    await asked("POST", `${EXPORTS}${made.id}/backfills/`, { start_at: null });
    await lin.open(`/project/1/exports/${made.id}`);
    await lin.sees(lin.page.getByRole("row", { name: /Failed .* private address/i }));
    await button(lin, "Test the connection").click();
    await lin.sees(lin.page.getByRole("alert"));
    expect(await lin.page.content()).not.toContain("not to be seen");
    await lin.expectFine();
  });

  test("are deleted, also while another looks at them", async () => {
    await owner.open(address);
    await button(owner, "Delete").click();
    await dialogOf(owner).getByRole("button", { name: "Delete" }).click();
    await owner.sees("Deleted “Every event”");
    await owner.sees(owner.page.getByRole("link", { name: "Away <b>" }));
    await lin.open(address);
    await lin.sees("There is no such export");
    await lin.expectFine();
  });

  test("are not offered to a key that may only read them", async () => {
    const key = await asked("POST", "/api/personal_api_keys/", {
      label: "reader",
      scopes: ["batch_export:read", "user:read", "project:read"],
    });
    const headers = { Authorization: `Bearer ${String(key.value)}` };
    const reading = await stage.newContext({ extraHTTPHeaders: headers });
    const reader = await stage.enter(WIDE, reading);
    await reader.open("/project/1/exports");
    await reader.page.getByRole("link", { name: "Away <b>" }).click();
    await reader.sees(reader.page.getByRole("table", { name: "Runs" }).getByRole("button", { name: /^Log/ }));
    for (const name of ["Pause", "Edit", "Delete", "Export the past", "Test the connection", /^Run again/]) {
      expect(await button(reader, name).count()).toBe(0);
    }
    expect(await reader.page.getByRole("link", { name: "Imports" }).count()).toBe(0);
    await reader.expectFine();
    await reading.close();
  });
});
