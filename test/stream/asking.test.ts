import { describe, expect, test } from "bun:test";
import { type Bus, connectBus, type OfferOptions, type Taken } from "../../src/stream/mod.ts";
import { RetryableError } from "../../src/types/mod.ts";
import { until, withBroker } from "../support/broker.ts";

const SERVICE = "test";
const NEVER = new AbortController().signal;

function offered(id: string, take: (payload: string) => Taken): OfferOptions {
  return { service: SERVICE, id, place: `at ${id}`, take, facts: () => `of ${id}` };
}

const echo = (payload: string): Taken => ({ work: async () => `heard ${payload}` });

/** Work that goes on until it is told to end, and tells of it. */
function endless() {
  const seen = { begun: 0, ended: 0 };
  const work = (signal: AbortSignal) =>
    new Promise<string>((resolve) => {
      seen.begun++;
      signal.addEventListener("abort", () => {
        seen.ended++;
        resolve("ended");
      });
    });
  return { seen, take: (): Taken => ({ work }) };
}

const asker = async (bus: Bus, ids: number) => {
  const asker = bus.asker(SERVICE);
  await until(() => asker.offers().length === ids);
  return asker;
};

describe("processes that offer help", () => {
  test("are heard of with their places, answer, and are forgotten when they end", () =>
    withBroker(async ({ bus, url }) => {
      const other = await connectBus(url);
      const [a, b] = [other.offer(offered("a", echo)), other.offer(offered("b", () => ({ busy: "too much" })))];
      const asks = await asker(bus, 2);
      expect(asks.offers().toSorted((x, y) => (x.id < y.id ? -1 : 1))).toEqual([
        { id: "a", place: "at a" },
        { id: "b", place: "at b" },
      ]);
      expect(await asks.ask("a", "two\nlines", NEVER)).toEqual({ kind: "answered", text: "heard two\nlines" });
      expect(await asks.ask("b", "", NEVER)).toEqual({ kind: "busy", text: "too much" });
      expect(await asks.facts()).toEqual(
        new Map([
          ["a", "of a"],
          ["b", "of b"],
        ]),
      );
      await a.end();
      // Its last word came before what the other one says over the same connection.
      await asks.facts();
      expect(asks.offers().map(({ id }) => id)).toEqual(["b"]);
      await b.end();
      await until(() => asks.offers().length === 0);
      await other.close();
    }));

  test("are not heard by those who ask for something else", () =>
    withBroker(async ({ bus }) => {
      const asks = bus.asker("else");
      const own = bus.offer({ ...offered("own", echo), service: "else" });
      const foreign = bus.offer(offered("foreign", echo));
      await until(() => asks.offers().length > 0);
      expect(asks.offers().map(({ id }) => id)).toEqual(["own"]);
      await Promise.all([own.end(), foreign.end()]);
    }));

  test("end their work when nobody waits for it any more", () =>
    withBroker(async ({ bus, url }) => {
      const { seen, take } = endless();
      const offer = bus.offer(offered("a", take));
      const other = await connectBus(url);
      const asks = await asker(other, 1);
      const stop = new AbortController();
      const left = asks.ask("a", "", stop.signal).catch((error) => error);
      await until(() => seen.begun === 1);
      stop.abort();
      expect(await left).toMatchObject({ code: "ask_left" });
      await until(() => seen.ended === 1);
      // An asker that dies says nothing.
      const dead = asks.ask("a", "", NEVER).catch((error) => error);
      await until(() => seen.begun === 2);
      await other.close();
      await until(() => seen.ended === 2);
      await offer.end();
      expect(await dead).toBeInstanceOf(Error);
    }));

  test("tell their askers when they end over a question", () =>
    withBroker(async ({ bus, url }) => {
      const { seen, take } = endless();
      const other = await connectBus(url);
      const offer = other.offer(offered("a", take));
      const asks = await asker(bus, 1);
      const over = asks.ask("a", "", NEVER).catch((error) => error);
      await until(() => seen.begun === 1);
      await offer.end();
      expect(seen.ended).toBe(1);
      expect(await over).toMatchObject({ code: "ask_unanswered", message: "the process has ended" });
      await other.close();
    }));

  test("may die: over a question, and before one", () =>
    withBroker(async ({ bus, url }) => {
      const { seen, take } = endless();
      const dying = await connectBus(url);
      dying.offer(offered("a", take));
      const asks = await asker(bus, 1);
      const over = asks.ask("a", "", NEVER).catch((error) => error);
      await until(() => seen.begun === 1);
      await dying.close();
      const before = await asks.ask("a", "", NEVER).catch((error) => error);
      expect(before).toBeInstanceOf(RetryableError);
      expect(before.code).toBe("ask_unanswered");
      await until(() => asks.offers().length === 0);
      expect(await over).toMatchObject({ code: "ask_unanswered" });
    }));

  test("take no question that the broker would refuse", () =>
    withBroker(async ({ bus }) => {
      const offer = bus.offer(offered("a", echo));
      const asks = await asker(bus, 1);
      expect(asks.fits("x".repeat(1_000))).toBe(true);
      expect(asks.fits("ü".repeat(64 * 1024 * 1024))).toBe(false);
      await offer.end();
    }));
});
