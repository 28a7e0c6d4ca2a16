import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pages } from "../../src/web/mod.ts";
import { Assets } from "../../src/web/serve/assets.ts";

/** A program that notes each of its runs, and then does something. */
function builderThat(does: string): { program: string; runs(): number } {
  const folder = mkdtempSync(join(tmpdir(), "weir-assets-"));
  const [program, notes] = [join(folder, "builder.ts"), join(folder, "runs")];
  writeFileSync(notes, "");
  writeFileSync(
    program,
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(notes)}, "x"); ${does}`,
  );
  return { program, runs: () => readFileSync(notes, "utf8").length };
}

test("a build that fails is not begun again with every request", async () => {
  const { program, runs } = builderThat("process.exit(1);");
  let nowMs = 0;
  const assets = new Assets(program, () => nowMs);
  const ask = () =>
    assets.manifest().then(
      () => "built",
      () => "failed",
    );
  expect(new Set(await Promise.all(Array.from({ length: 20 }, ask)))).toEqual(new Set(["failed"]));
  for (let i = 0; i < 5; i++) expect(await ask()).toBe("failed");
  expect(runs()).toBe(1);
  nowMs += 10_000;
  expect(await ask()).toBe("failed");
  expect(runs()).toBe(2);
});

test("what fails in a build is told to the log once, and to no client", async () => {
  const { program } = builderThat('console.error("no space in /home/ada"); process.exit(1);');
  const told: string[] = [];
  const pages = new Pages((message) => told.push(message), new Assets(program, () => 0));
  const app = pages.plugin(() => new Response("other"));
  for (const path of ["/login", "/assets/main.js", "/project/1/home"]) {
    const answer = await app.handle(new Request(`http://localhost${path}`));
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("cannot be built")]);
  }
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("no space");
});

test("a file comes in an encoding that its client takes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-pages-"));
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ files: { "a.js": "text/javascript" } }));
  for (const [suffix, text] of [
    ["", "plain"],
    [".gz", "gzip"],
    [".zst", "zstd"],
  ])
    writeFileSync(join(folder, `a.js${suffix}`), text!);
  const { program, runs } = builderThat(`console.log(${JSON.stringify(folder)});`);
  const assets = new Assets(program);
  const shown = async (accepted: string | null) => {
    const headers = accepted === null ? undefined : { "Accept-Encoding": accepted };
    const answer = (await assets.answer(new Request("http://x/", { headers }), "a.js"))!;
    return [answer.headers.get("content-encoding"), await answer.text()];
  };
  for (const accepted of [null, "", "br", "identity", "gzip;q=0", "zstd;q=0, gzip; q=0.0", "notgzip", "gzip-x"])
    expect([accepted, ...(await shown(accepted))]).toEqual([accepted, null, "plain"]);
  for (const accepted of ["gzip", "GZIP;q=0.5, br", "zstd;q=0, gzip"])
    expect([accepted, ...(await shown(accepted))]).toEqual([accepted, "gzip", "gzip"]);
  expect(await shown("gzip, deflate, br, zstd")).toEqual(["zstd", "zstd"]);
  for (const name of ["b.js", "__proto__", "../a.js", "a.js.gz", "manifest.json"])
    expect(await assets.answer(new Request("http://x/"), name)).toBeNull();
  expect(runs()).toBe(1);
});
