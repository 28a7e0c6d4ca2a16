import { expect, test } from "bun:test";
import { join } from "node:path";
import { ownText } from "../../src/types/mod.ts";
import { FRAME_BYTES, FRAMES } from "./memoryLeft.ts";

const LITTLE_BYTES = 8 * 1024 ** 2;

test("a text that is cut out of a frame keeps the frame in memory; a copy, and what is remembered of persons, do not", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "memoryLeft.ts")], { stdout: "pipe" });
  const { left, remembered } = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  expect(left.cut).toBeGreaterThan((FRAMES * FRAME_BYTES) / 2);
  for (const of of ["own", "ids", "cache"])
    expect({ of, isLittle: left[of] < LITTLE_BYTES }).toEqual({ of, isLittle: true });
  expect(remembered).toEqual([FRAMES, FRAMES, FRAMES]);
});

test("a copy says the same", () => {
  expect(ownText("a\ud800b")).toBe("a\ud800b");
});
