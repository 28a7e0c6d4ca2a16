import { expect, test } from "bun:test";

/** What a process has mapped once it has these modules. */
async function mapsOf(role: string): Promise<string> {
  const module = new URL(`../../src/roles/${role}.ts`, import.meta.url).pathname;
  const script = `await import("${module}"); process.stdout.write(require("node:fs").readFileSync("/proc/self/maps", "latin1"))`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  return new Response(child.stdout).text();
}

test.each(["start", "front", "api", "exporter"])("%s does not load DuckDB before it needs it", async (role) => {
  const maps = await mapsOf(role);
  expect(maps).toContain("bun");
  expect(maps).not.toContain("duckdb");
});
