import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { stepNumbers, sumNumbers } from "../../src/web/app/charts/funnel/numbers.ts";
import { besidePoint } from "../../src/web/app/charts/parts/beside.ts";
import { slicesOf } from "../../src/web/app/charts/pieSlices.ts";
import { along } from "../../src/web/app/charts/sankey/along.ts";
import { layOut } from "../../src/web/app/charts/sankey/layout.ts";
import { moveByKey } from "../../src/web/app/charts/time/keys.ts";
import { extentOf, layersOf } from "../../src/web/app/charts/time/layers.ts";
import { labelledPlaces, niceTicks, spreadLabels, withoutMidnights } from "../../src/web/app/charts/time/ticks.ts";
import type { Series } from "../../src/web/app/charts/types.ts";

const value = fc.option(fc.integer({ min: -1000, max: 1000 }), { nil: null, freq: 4 });
const table = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 12 }))
  .chain(([count, places]) =>
    fc.array(
      fc.record({ values: fc.array(value, { minLength: places, maxLength: places }), isPrevious: fc.boolean() }),
      {
        minLength: count,
        maxLength: count,
      },
    ),
  )
  .map((rows): Series[] => rows.map((row, index) => ({ key: `${index}`, label: `${index}`, color: index, ...row })));
const all = (series: readonly Series[]) => series.map((_, index) => index);

describe("layers of a time chart", () => {
  test("a layer is as thick as its value, and none lies over another of its pile", () => {
    fc.assert(
      fc.property(table, (series) => {
        const layers = layersOf(series, all(series), "stacked");
        for (const { series: index, from, to } of layers) {
          for (const [place, number] of series[index]!.values.entries()) {
            expect(to[place]).toBe(number === null ? null : from[place]! + number);
          }
        }
        for (const isPrevious of [true, false]) {
          const pile = layers.filter((layer) => Boolean(series[layer.series]!.isPrevious) === isPrevious);
          for (const place of series[0]!.values.keys()) {
            const spans = pile
              .filter(({ to }) => to[place] !== null && to[place] !== 0)
              .map(({ from, to }) => [Math.min(from[place]!, to[place]!), Math.max(from[place]!, to[place]!)] as const)
              .filter(([low, high]) => high > low)
              .sort((a, b) => a[0] - b[0]);
            for (const [at, [low]] of spans.entries())
              if (at > 0) expect(low).toBeGreaterThanOrEqual(spans[at - 1]![1]);
          }
        }
      }),
    );
  });

  test("the extent holds zero and every end", () => {
    fc.assert(
      fc.property(table, fc.constantFrom("line", "area", "bar", "stacked"), (series, look) => {
        const layers = layersOf(series, all(series), look);
        const [min, max] = extentOf(layers);
        expect(min).toBeLessThanOrEqual(0);
        expect(max).toBeGreaterThanOrEqual(0);
        for (const end of layers.flatMap(({ to }) => to)) {
          if (end !== null) expect(end >= min && end <= max).toBe(true);
        }
      }),
    );
  });
});

describe("marks of an axis", () => {
  const size = fc.double({ min: 1e-6, max: 1e15, noNaN: true });

  test("they hold the values, rise evenly, hold zero, and are not too many", () => {
    fc.assert(
      fc.property(
        size,
        size,
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 2, max: 9 }),
        (a, b, isBelow, isWhole, most) => {
          const [min, max] = [isBelow ? -a : 0, b];
          const ticks = niceTicks(min, max, most, isWhole);
          const step = ticks[1]! - ticks[0]!;
          expect(ticks[0]!).toBeLessThanOrEqual(min + step * 1e-6);
          expect(ticks.at(-1)!).toBeGreaterThanOrEqual(max - step * 1e-6);
          expect(ticks.length).toBeLessThanOrEqual(most + 2);
          expect(ticks).toContain(0);
          for (let at = 1; at < ticks.length; at++) {
            expect(Math.abs(ticks[at]! - ticks[at - 1]! - step)).toBeLessThan(step * 1e-3);
          }
          if (isWhole && max < 1e9 && -min < 1e9) expect(ticks.every(Number.isInteger)).toBe(true);
        },
      ),
    );
  });

  test("nothing to show", () => {
    expect(niceTicks(0, 0, 5, true)).toEqual([0, 1]);
    expect(niceTicks(0, 3, 6, true)).toEqual([0, 1, 2, 3]);
    expect(niceTicks(0, 1, 5, false)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  test("labels of places never meet", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 5, max: 150 }), { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0.2, max: 80, noNaN: true }),
        (widths, stepPx) => {
          const places = labelledPlaces(widths, stepPx, 10);
          expect(places[0]).toBe(0);
          for (let at = 1; at < places.length; at++) {
            const [left, right] = [places[at - 1]!, places[at]!];
            const gap = (right - left) * stepPx - (widths[left]! + widths[right]!) / 2;
            expect(gap).toBeGreaterThanOrEqual(10 - 1e-6);
          }
        },
      ),
    );
  });

  test("labels at the ends of lines never meet, stay within, and near to their lines", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { maxLength: 12 }), (wishes) => {
        const tops = spreadLabels(wishes, { heightPx: 16, top: 0, bottom: 300, reachPx: 30 });
        if (tops === null) return;
        const sorted = [...tops].sort((a, b) => a - b);
        for (const [at, top] of sorted.entries()) {
          expect(top).toBeGreaterThanOrEqual(8 - 1e-6);
          expect(top).toBeLessThanOrEqual(292 + 1e-6);
          if (at > 0) expect(top - sorted[at - 1]!).toBeGreaterThanOrEqual(16 - 1e-6);
        }
        for (const [at, top] of tops.entries()) expect(Math.abs(top - wishes[at]!)).toBeLessThanOrEqual(30);
      }),
    );
  });

  test("labels that have room stay where they belong", () => {
    expect(spreadLabels([20, 60, 100], { heightPx: 16, top: 0, bottom: 200, reachPx: 20 })).toEqual([20, 60, 100]);
    expect(spreadLabels([50, 50], { heightPx: 16, top: 0, bottom: 200, reachPx: 20 })).toEqual([42, 58]);
    expect(spreadLabels([50, 50, 50], { heightPx: 16, top: 0, bottom: 40, reachPx: 99 })).toBeNull();
  });
});

describe("keys over a time chart", () => {
  const keys = fc.constantFrom("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown");

  test("they never leave the chart, and choose a series that has a value wherever one has", () => {
    fc.assert(
      fc.property(table, fc.array(keys, { maxLength: 30 }), (series, presses) => {
        const places = series[0]!.values.length;
        let at: ReturnType<typeof moveByKey> | null = null;
        for (const key of presses) {
          at = moveByKey(key, at ?? null, { series, shown: all(series), places })!;
          expect(at.index >= 0 && at.index < places).toBe(true);
          const present = all(series).filter((index) => series[index]!.values[at!.index] !== null);
          expect(at.series === -1 ? present.length === 0 : present.includes(at.series)).toBe(true);
        }
      }),
    );
  });
});

describe("a tip", () => {
  test("stands within the window and beside the point wherever there is room", () => {
    const px = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(
        px(1400),
        px(900),
        fc.integer({ min: 40, max: 320 }),
        fc.integer({ min: 20, max: 260 }),
        (x, y, width, height) => {
          const window = { width: 1400, height: 900 };
          const { left, top } = besidePoint({ x, y }, { width, height }, window);
          expect(left >= 8 && top >= 8 && left + width <= 1392 && top + height <= 892).toBe(true);
          expect(x < left || x > left + width).toBe(true);
        },
      ),
    );
  });

  test("stands above the point where neither side has room", () => {
    const narrow = { width: 360, height: 700 };
    expect(besidePoint({ x: 180, y: 300 }, { width: 220, height: 80 }, narrow)).toEqual({ left: 70, top: 206 });
    expect(besidePoint({ x: 180, y: 50 }, { width: 220, height: 80 }, narrow)).toEqual({ left: 70, top: 64 });
  });
});

describe("a pie", () => {
  test("its slices go round once, in the order of the parts", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ value: fc.integer({ min: -5, max: 100 }) })), (parts) => {
        const { slices, total } = slicesOf(parts);
        expect(total).toBe(parts.reduce((sum, part) => sum + part.value, 0));
        expect(slices.map(({ part }) => part)).toEqual(parts.flatMap((part, index) => (part.value > 0 ? [index] : [])));
        for (const [at, { from }] of slices.entries()) expect(from).toBeCloseTo(slices[at - 1]?.to ?? 0);
        if (slices.length > 0) expect(slices.at(-1)!.to).toBeCloseTo(1);
      }),
    );
  });
});

describe("a funnel", () => {
  const steps = [
    [40, 10],
    [20, 10],
    [30, 0],
  ].map((counts) => ({
    label: "",
    groups: counts.map((count) => ({ label: "", color: 0, count, medianS: null, averageS: null })),
  }));

  test("its numbers", () => {
    expect(stepNumbers(steps, 1, 0)).toEqual({ count: 20, dropped: 20, fromFirst: 0.5, fromBefore: 0.5 });
    // More than the optional step before.
    expect(stepNumbers(steps, 2, 0)).toEqual({ count: 30, dropped: 0, fromFirst: 0.75, fromBefore: 1.5 });
    expect(sumNumbers(steps, 0)).toEqual({ count: 50, dropped: 0, fromFirst: 1, fromBefore: 1 });
    expect(sumNumbers([], 0)).toEqual({ count: 0, dropped: 0, fromFirst: null, fromBefore: null });
  });
});

describe("ways", () => {
  const links = [
    { source: 0, target: 1, value: 5 },
    { source: 0, target: 2, value: 3 },
    { source: 1, target: 3, value: 4 },
    { source: 2, target: 3, value: 2 },
  ];

  test("what belongs to a node or a link", () => {
    const lit = along(links, { node: 1 });
    expect([...lit.links].sort()).toEqual([0, 2]);
    expect([...lit.nodes].sort()).toEqual([0, 1, 3]);
    expect([...along(links, { link: 3 }).links].sort()).toEqual([1, 3]);
    const circle = [...links, { source: 3, target: 0, value: 1 }];
    expect(along(circle, { node: 0 }).links.size).toBe(5);
  });

  test("links that go back, or to no node, have no place, and nothing fails", () => {
    const nodes = [0, 1, 1, 2].map((layer) => ({ layer }));
    const odd = [
      ...links,
      { source: 3, target: 0, value: 1 },
      { source: 1, target: 2, value: 1 },
      { source: 0, target: 9, value: 1 },
    ];
    const placed = layOut(nodes, odd, { width: 600, height: 300 });
    expect(placed.links.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3]);
    for (const { left, top, height } of placed.nodes) {
      expect(left >= 0 && left < 600 && top >= 0 && top + height <= 300).toBe(true);
    }
    const alone = layOut([{ layer: 0 }], [], { width: 300, height: 100 });
    expect(alone.nodes[0]).toMatchObject({ top: 50, height: 0 });
  });
});

test("hours that are all midnights are days", () => {
  expect(withoutMidnights(["16 Nov 00:00", "17 Nov 00:00"])).toEqual(["16 Nov", "17 Nov"]);
  expect(withoutMidnights(["16 Nov 00:00", "16 Nov 12:00"])).toEqual(["16 Nov 00:00", "16 Nov 12:00"]);
  expect(withoutMidnights(["00:00", "12:00"])).toEqual(["00:00", "12:00"]);
});
