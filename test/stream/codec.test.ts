import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decodeFrame, FrameWriter } from "../../src/stream/mod.ts";
import { type AcceptedEvent, EventFlag } from "../../src/types/mod.ts";
import { eventOf, rawEventOf } from "./events.ts";

function roundTrip(events: AcceptedEvent[]): AcceptedEvent[] {
  const writer = new FrameWriter();
  for (const event of events) writer.add(event);
  return decodeFrame(writer.finish());
}

/** Names as clients send them: control characters, separators, quotes, emoji; no lone surrogate (the front replaces it). */
const name = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\x1f", "\n", "\r", "\t", "\\", '"', "\\u001f", "\u2028", "\ufeff", "é", "😀"),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

/** The text of an object as a client may write it; JSON.stringify escapes what must be. */
const properties = fc
  .tuple(fc.dictionary(name, fc.oneof(name, fc.double(), fc.boolean(), fc.constant(null))), name)
  .map(([object, key]) => {
    const text = JSON.stringify(object);
    const rest = text === "{}" ? "" : `,${text.slice(1, -1)}`;
    return `{${JSON.stringify(key)} :  12345678901234567890.10e+2${rest}, "\\u0041": 1.10}`;
  });

const event = fc.record<AcceptedEvent>({
  teamId: fc.nat(),
  uuid: fc.uuid(),
  event: name,
  distinctId: name,
  timestampMs: fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }),
  properties,
  elementsChain: name,
  flags: fc.nat(7),
  mergedAtMs: fc.nat(),
  mergeSequence: fc.nat(),
});

describe("a frame", () => {
  test("gives back every event exactly as it was written, in order", () => {
    fc.assert(fc.property(fc.array(event, { maxLength: 20 }), (events) => expect(roundTrip(events)).toEqual(events)));
  });

  test("keeps the text of properties to the letter", () => {
    const texts = ['{"a":1e2,"b":1.10,"c":12345678901234567890}', '{ "a" : [ 1 , 2 ] }', '{"é":"\\ud83d\\ude00"}'];
    expect(roundTrip(texts.map((text) => eventOf({ properties: text }))).map((e) => e.properties)).toEqual(texts);
  });

  test("takes properties from where they lie, with what is added behind their last member", () => {
    fc.assert(
      fc.property(event, name, name, (given, before, after) => {
        const bytes = Buffer.from(`${before}${given.properties}${after}`);
        const start = Buffer.byteLength(before);
        const span = { bytes, start, end: start + Buffer.byteLength(given.properties) };
        const writer = new FrameWriter();
        writer.add({ ...given, properties: span });
        writer.add({ ...given, properties: span, added: ',"$ip":"é"' });
        const changed = { ...given, properties: given.properties.replace(/\}$/, ',"$ip":"é"}') };
        expect(decodeFrame(writer.finish())).toEqual([given, changed]);
      }),
    );
  });

  test("takes raw events beside others, each with what is added to it", () => {
    const plain = name.map((text) => text.replace(/[^ !#-[\]-~]/g, ""));
    const given = fc.record({
      event,
      distinctId: plain,
      name: plain,
      added: fc.constantFrom("", ',"$ip":"é"', ',"b":2'),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 10 }), (all) => {
        const writer = new FrameWriter();
        const expected = all.map(({ event: other, distinctId, name: eventName, added }) => {
          const fields = { event: eventName, elementsChain: "", mergedAtMs: 0, mergeSequence: 0 };
          const raw = rawEventOf({ ...other, ...fields, distinctId, added });
          writer.add(raw);
          writer.add(other);
          const properties = other.properties.replace(/\}$/, `${added}}`);
          return [{ ...other, ...fields, distinctId, properties }, other];
        });
        expect(decodeFrame(writer.finish())).toEqual(expected.flat());
      }),
    );
  });

  test("that may be stored twice has copies of all its uuids: none is told to have no copy", () => {
    const all = EventFlag.ServerUuid | EventFlag.ServerTime | EventFlag.Personless;
    const flagsOf = (mayBeStoredTwice: boolean) => {
      const writer = new FrameWriter();
      for (const made of [eventOf({ flags: all }), rawEventOf({ flags: all })]) writer.add(made, mayBeStoredTwice);
      return decodeFrame(writer.finish()).map(({ flags }) => flags);
    };
    expect(flagsOf(false)).toEqual([all, all]);
    expect(flagsOf(true)).toEqual(Array(2).fill(EventFlag.ServerTime | EventFlag.Personless));
  });

  test("may be empty", () => {
    expect(roundTrip([])).toEqual([]);
  });

  test("grows with its events", () => {
    const events = Array.from({ length: 50 }, (_, i) =>
      eventOf({ properties: JSON.stringify({ text: "ü".repeat(50_000 + i) }) }),
    );
    expect(roundTrip(events)).toEqual(events);
  });

  test("that nobody wrote is refused as corrupt", () => {
    const line = `1\x1f0\x1f5\x1f0\x1f0\x1fu\x1f"d"\x1f"e"\x1f""\x1f{}\n`;
    const bad = [
      "x",
      "\n",
      line.slice(0, -1),
      line.replace("\x1f0", "\x1fzero"),
      line.replace('"d"', '"\\d"'),
      `${line}1\x1f2\n`,
    ];
    expect(decodeFrame(Bun.zstdCompressSync(Buffer.from(line)))).toHaveLength(1);
    for (const text of bad) {
      expect(() => decodeFrame(Bun.zstdCompressSync(Buffer.from(text)))).toThrow(
        expect.objectContaining({ code: "corrupt_frame" }),
      );
    }
    expect(() => decodeFrame(Buffer.from("not zstd"))).toThrow(expect.objectContaining({ code: "corrupt_frame" }));
  });

  test("that unpacks to more than a frame may hold is refused without unpacking it", () => {
    const bomb = Bun.zstdCompressSync(Buffer.alloc(100 * 1024 * 1024, "\n"), { level: 1 });
    expect(bomb.length).toBeLessThan(100_000);
    expect(() => decodeFrame(bomb)).toThrow(expect.objectContaining({ code: "corrupt_frame" }));
  });
});
