import { expect, test } from "bun:test";
import { Aside } from "../../src/capture/aside/aside.ts";
import { TerminalError, Turns } from "../../src/types/mod.ts";
import { TOKEN } from "./launch.ts";

const hints = { contentType: null, contentEncoding: null, data: "", compression: null, isLegacyPath: false };
const payload = (text: string) => ({
  body: Buffer.from(text),
  maxBytes: 1_000_000,
  hints,
  maxDepth: 200,
  isDigested: false,
});
const batch = (count: number) =>
  JSON.stringify({ api_key: TOKEN, batch: Array(count).fill({ event: "e", distinct_id: "d" }) });

test("a job's outcome comes back, and its failure with the code", async () => {
  const aside = new Aside();
  for (const count of [1, 20_000]) {
    const { token, outline } = await aside.run("a", "payload", payload(batch(count)));
    expect([token, outline.itemCount, outline.bytes.toString()]).toEqual([TOKEN, count, batch(count)]);
  }
  for (const [text, code] of [
    ["{", "invalid_payload"],
    [`["${"x".repeat(1_000_000)}"]`, "missing_api_key"],
  ] as const) {
    const failure = await aside.run("a", "payload", payload(text)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure).toMatchObject({ code });
  }
});

test("much of one owner does not hold up another's", async () => {
  const aside = new Aside();
  const done: string[] = [];
  const jobs = ["a", "a", "a", "a", "b", "b", "c"].map(async (owner) => {
    await aside.run(owner, "payload", payload(batch(1)));
    done.push(owner);
  });
  await Promise.all(jobs);
  expect(done.join("")).toBe("aabcaba");
});

test("work takes turns, and between turns the loop does what else there is", async () => {
  const turns = new Turns();
  const order: string[] = [];
  let served = 0;
  const server = setInterval(() => served++, 0);
  const work = async (name: string) => {
    for (let i = 0; i < 5; i++) {
      if (turns.isOver) await turns.next();
      order.push(name);
      const untilMs = performance.now() + 10;
      while (performance.now() < untilMs);
    }
  };
  await Promise.all([work("a"), work("b"), work("c")]);
  clearInterval(server);
  // Each has done something before any is done.
  expect(new Set(order.slice(0, 7)).size).toBe(3);
  expect(served).toBeGreaterThan(5);
});
