import { TimeChart } from "../../../src/web/app/charts/timeChart.tsx";
import type { Series } from "../../../src/web/app/charts/types.ts";
import { formatNumber, formatPercent, formatShort } from "../../../src/web/app/format/number.ts";
import { BROWSERS, dayAxis, dayTitles, HOSTILE, LONG, numbers, RIGHT_TO_LEFT, seriesOf, visits } from "./data.ts";
import type { Pick, State } from "./states.tsx";

type Look = "line" | "area" | "bar" | "stacked";

function state(look: Look, series: readonly Series[], more: Partial<State> & { places?: number } = {}): State {
  const places = more.places ?? Math.max(0, ...series.map(({ values }) => values.length));
  const [axis, titles] = [dayAxis(places), dayTitles(places)];
  const draw = (pick: Pick) => (
    <TimeChart
      axis={axis}
      titles={titles}
      series={series}
      look={look}
      format={formatNumber}
      formatShort={formatShort}
      onPick={({ series: which, index }) => pick("time", which, index)}
    />
  );
  return { draw, ...more };
}

const three = seriesOf(
  [30, 22, 9].map((base, seed) => visits(30, { base: base * 100, seed: seed + 1 })),
  ["Pageview", "Sign up", "Purchase"],
).map((one) => ({ ...one, incomplete: 1 }));
const compared: Series[] = [
  { key: "now", label: "Pageview", values: visits(14, { base: 900, seed: 4 }), color: 0, incomplete: 1 },
  {
    key: "then",
    label: "Pageview",
    values: visits(14, { base: 700, seed: 5 }),
    color: 0,
    isPrevious: true,
    titles: dayTitles(14),
  },
];
const lifecycle: Series[] = [
  { key: "new", label: "New", values: visits(14, { base: 120, seed: 6 }), color: 0 },
  { key: "returning", label: "Returning", values: visits(14, { base: 300, seed: 7 }), color: 4 },
  { key: "resurrecting", label: "Resurrecting", values: visits(14, { base: 60, seed: 8 }), color: 2 },
  { key: "dormant", label: "Dormant", values: visits(14, { base: 90, seed: 9 }).map((value) => -value), color: 1 },
];
const browsers = seriesOf(
  BROWSERS.map((_, index) => visits(30, { base: 3000 / (index + 1) ** 1.4, seed: index + 20 })),
  BROWSERS,
);
const fifty = seriesOf(Array.from({ length: 50 }, (_, seed) => visits(30, { base: 40 + seed * 10, seed: seed + 40 })));
const holes = seriesOf([[3, null, 4, 5, null, null, 8, null, 2, 6, 7, null]], ["With holes"]);
const next = numbers(99);
const steps = Array.from({ length: 2000 }, () => next() * 20 - 9.8);
const walk: number[] = [];
for (const [place, step] of steps.entries()) walk.push(Math.round((walk[place - 1] ?? 500) + step));

export const TIME: Record<string, State> = {
  line: state("line", three),
  single: state("line", three.slice(0, 1)),
  area: state("area", browsers.slice(0, 5)),
  bar: state(
    "bar",
    three.slice(0, 2).map((one) => ({ ...one, values: one.values.slice(-10) })),
  ),
  stacked: state(
    "stacked",
    browsers.slice(0, 4).map((one) => ({ ...one, incomplete: 1 })),
  ),
  compared: state("line", compared),
  comparedBars: state("stacked", [
    ...compared,
    { ...compared[0]!, key: "b", label: "Sign up", color: 1, values: visits(14, { base: 300, seed: 11 }) },
  ]),
  lifecycle: state("stacked", lifecycle),
  legend: state("line", browsers),
  fifty: state("line", fifty),
  fiftyStacked: state("stacked", fifty),
  none: state("line", [], { places: 7 }),
  oneValue: state("line", seriesOf([[42]], ["Pageview"])),
  oneBar: state("bar", seriesOf([[42]], ["Pageview"])),
  allNull: state("line", seriesOf([[null, null, null, null]], ["Nothing"])),
  allZero: state("line", seriesOf([[0, 0, 0, 0, 0, 0, 0]], ["Zero"])),
  holes: state("line", holes),
  holesInArea: state("area", [
    ...holes,
    ...seriesOf([[1, 2, 3, 2, null, 2, 1, 2, 3, 3, 2, 1]], ["More"]).map((one) => ({ ...one, key: "m", color: 1 })),
  ]),
  negative: state("line", seriesOf([[5, -3, -8, 2, 0, 4, -1]], ["Difference"])),
  names: state(
    "line",
    seriesOf(
      [12, 9, 5, 2].map((base, seed) => visits(10, { base, seed })),
      [LONG, RIGHT_TO_LEFT, HOSTILE, ""],
    ),
  ),
  tiny: state("line", seriesOf([[1e-6, 3e-6, 2e-6, 5e-6]], ["Tiny"])),
  huge: state("line", seriesOf([[1e15, 3.2e15, 2.1e15, 9e14]], ["Huge"])),
  many: state("line", seriesOf([walk], ["Walk"])),
  crowd: state("line", seriesOf(Array.from({ length: 50 }, (_, index) => walk.map((value) => value + index * 40)))),
  manyBars: state("bar", seriesOf([walk.slice(0, 400)], ["Walk"])),
  low: state("line", three, { heightPx: 110 }),
  narrow: state("line", three, { widthPx: 220 }),
  threePixels: state("line", three, { widthPx: 3 }),
  ratio: {
    draw: (pick) => (
      <TimeChart
        axis={["Day 0", "Day 1", "Day 2", "Day 3", "Day 4"]}
        series={seriesOf([[1, 0.52, 0.4, 0.31, 0.28]], ["Retention"])}
        look="line"
        format={formatPercent}
        max={1}
        onPick={({ series, index }) => pick("ratio", series, index)}
      />
    ),
  },
  synced: {
    draw: () => (
      <div style={{ display: "grid", gridTemplateColumns: "1fr 1fr", height: "100%", gap: "16px" }}>
        {[0, 1].map((one) => (
          <TimeChart
            key={one}
            axis={dayAxis(30)}
            titles={dayTitles(30)}
            series={three.slice(one, one + 1)}
            look="line"
            format={formatNumber}
            formatShort={formatShort}
            syncKey="both"
          />
        ))}
      </div>
    ),
  },
};
