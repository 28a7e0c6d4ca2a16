import { BigNumber } from "../../../src/web/app/charts/bigNumber.tsx";
import { CalendarHeat } from "../../../src/web/app/charts/calendarHeat.tsx";
import { FunnelBars, type FunnelStep } from "../../../src/web/app/charts/funnelBars.tsx";
import { Histogram } from "../../../src/web/app/charts/histogram.tsx";
import { Pie } from "../../../src/web/app/charts/pie.tsx";
import { RankBars } from "../../../src/web/app/charts/rankBars.tsx";
import { RetentionGrid, type RetentionRow } from "../../../src/web/app/charts/retentionGrid.tsx";
import { Sankey } from "../../../src/web/app/charts/sankey.tsx";
import { WorldMap } from "../../../src/web/app/charts/worldMap.tsx";
import { formatNumber } from "../../../src/web/app/format/number.ts";
import { BROWSERS, HOSTILE, LONG, numbers, partsOf, RIGHT_TO_LEFT } from "./data.ts";
import type { Pick, State } from "./states.tsx";

const format = formatNumber;
const shares = [5_421, 2_310, 1_204, 610, 220, 118, 64, 31];
const strange = partsOf([40, 30, 20, 10], [LONG, RIGHT_TO_LEFT, HOSTILE, "(empty)"]);
const fifty = partsOf(
  Array.from({ length: 50 }, (_, index) => Math.round(5000 / (index + 1))),
  [],
);

const bigNumber: Record<string, State> = {
  plain: {
    heightPx: 120,
    draw: (pick) => (
      <BigNumber
        value={128_430}
        previous={112_004}
        format={format}
        label="Unique visitors"
        onPick={() => pick("big")}
      />
    ),
  },
  fewer: {
    heightPx: 120,
    draw: () => <BigNumber value={0.0042} previous={0.0051} format={format} label="Errors a visit" />,
  },
  fromNothing: { heightPx: 120, draw: () => <BigNumber value={12} previous={0} format={format} label={LONG} /> },
  huge: {
    heightPx: 120,
    widthPx: 200,
    draw: () => <BigNumber value={1_234_567_890_123} format={format} label={RIGHT_TO_LEFT} />,
  },
};

const pie: Record<string, State> = {
  plain: {
    draw: (pick) => <Pie parts={partsOf(shares, BROWSERS)} format={format} onPick={(index) => pick("pie", index)} />,
  },
  one: { draw: () => <Pie parts={partsOf([12], ["Only one"])} format={format} /> },
  strange: { draw: (pick) => <Pie parts={strange} format={format} onPick={(index) => pick("pie", index)} /> },
  zero: { draw: () => <Pie parts={partsOf([0, 0], BROWSERS)} format={format} /> },
  negative: { draw: () => <Pie parts={partsOf([5, -3, 2], BROWSERS)} format={format} /> },
  fifty: { draw: () => <Pie parts={fifty} format={format} /> },
  none: { draw: () => <Pie parts={[]} format={format} /> },
};

const rank: Record<string, State> = {
  plain: {
    draw: (pick) => (
      <RankBars parts={partsOf(shares, BROWSERS)} format={format} onPick={(index) => pick("rank", index)} />
    ),
  },
  compared: {
    draw: () => (
      <RankBars
        parts={partsOf(shares, BROWSERS).map((part, index) => ({
          ...part,
          color: 0,
          previous: part.value * (0.7 + index / 12),
        }))}
        format={format}
      />
    ),
  },
  strange: { draw: () => <RankBars parts={strange} format={format} /> },
  negative: { draw: () => <RankBars parts={partsOf([5, -3, 0, 2, -8], BROWSERS)} format={format} /> },
  fifty: { draw: (pick) => <RankBars parts={fifty} format={format} onPick={(index) => pick("rank", index)} /> },
};

function funnel(
  counts: readonly (readonly number[])[],
  labels: readonly string[],
  groups: readonly string[],
): FunnelStep[] {
  return labels.map((label, step) => ({
    label,
    groups: groups.map((group, index) => ({
      label: group,
      color: index,
      count: counts[step]![index]!,
      medianS: step === 0 ? null : 40 * (step + 1) ** 3,
      averageS: step === 0 ? null : 70 * (step + 1) ** 3,
    })),
  }));
}

const oneGroup = funnel(
  [[4_210], [2_630], [1_120], [1_008]],
  ["Pageview", "Sign up", "Add to basket", "Purchase"],
  ["All"],
);
const threeGroups = funnel(
  [
    [2_000, 1_500, 710],
    [1_400, 900, 330],
    [700, 320, 100],
  ],
  ["Pageview", "Sign up", "Purchase"],
  ["Chrome", "Safari", "Firefox"],
);
const manySteps = funnel(
  Array.from({ length: 12 }, (_, index) => [Math.round(1000 * 0.8 ** index)]),
  Array.from({ length: 12 }, (_, index) =>
    index === 3 ? LONG : index === 4 ? RIGHT_TO_LEFT : `Step number ${index + 1}`,
  ),
  ["All"],
);
const drawFunnel = (steps: FunnelStep[], look: "vertical" | "horizontal") => (pick: Pick) => (
  <FunnelBars
    steps={steps}
    look={look}
    format={format}
    onPick={({ step, group, isDropped }) => pick("funnel", step, group, isDropped)}
  />
);
const funnels: Record<string, State> = {
  vertical: { heightPx: 340, draw: drawFunnel(oneGroup, "vertical") },
  groups: { heightPx: 340, draw: drawFunnel(threeGroups, "vertical") },
  horizontal: { heightPx: 340, draw: drawFunnel(oneGroup, "horizontal") },
  horizontalGroups: { heightPx: 400, draw: drawFunnel(threeGroups, "horizontal") },
  manySteps: { heightPx: 400, draw: drawFunnel(manySteps, "vertical") },
  nobody: { heightPx: 340, draw: drawFunnel(funnel([[0], [0]], ["Pageview", "Sign up"], ["All"]), "vertical") },
  allStay: { heightPx: 340, draw: drawFunnel(funnel([[50], [50]], ["Pageview", "Sign up"], ["All"]), "vertical") },
  none: { heightPx: 120, draw: drawFunnel([], "vertical") },
};

const histogram: Record<string, State> = {
  plain: {
    draw: (pick) => (
      <Histogram
        bins={[31, 80, 122, 90, 41, 22, 9, 0, 3].map((count, index) => ({ label: `${index * 4}h`, count }))}
        format={format}
        note="On average 11h 20m"
        onPick={(index) => pick("histogram", index)}
      />
    ),
  },
  sixty: {
    draw: () => (
      <Histogram
        bins={Array.from({ length: 60 }, (_, index) => ({
          label: `${index}m 30s`,
          count: Math.round(4000 * Math.exp(-(((index - 22) / 12) ** 2))),
        }))}
        format={format}
      />
    ),
  },
  zero: {
    draw: () => (
      <Histogram
        bins={[
          { label: "0s", count: 0 },
          { label: "1s", count: 0 },
        ]}
        format={format}
      />
    ),
  },
};

function retentionRow(label: string, size: number, places: number, all: number): RetentionRow {
  const next = numbers(size);
  return {
    label,
    size,
    cells: Array.from({ length: all }, (_, column) => {
      if (column >= places) return { count: null, ratio: null, isIncomplete: false };
      const ratio = size === 0 ? null : column === 0 ? 1 : (0.55 / column ** 0.6) * (0.8 + 0.4 * next());
      return { count: Math.round(size * (ratio ?? 0)), ratio, isIncomplete: column === places - 1 };
    }),
  };
}
const weeks = Array.from({ length: 9 }, (_, index) =>
  retentionRow(`${index * 7 + 1} Mar 2026`, index === 4 ? 0 : 800 + index * 57, 9 - index, 9),
);
const columns = Array.from({ length: 9 }, (_, index) => `Week ${index}`);
const retention: Record<string, State> = {
  ratio: {
    heightPx: 360,
    draw: (pick) => (
      <RetentionGrid
        columns={columns}
        rows={weeks}
        shows="ratio"
        mean={retentionRow("Average", 7_900, 9, 9)}
        onPick={(row, column) => pick("retention", row, column)}
      />
    ),
  },
  count: { heightPx: 360, draw: () => <RetentionGrid columns={columns} rows={weeks} shows="count" /> },
};

const flow = [
  ["/", 0],
  ["/pricing", 0],
  ["/docs/getting-started/with-a-very-long-address-that-goes-on", 1],
  ["/sign-up", 1],
  ["/blog", 1],
  ["/sign-up/done", 2],
  ["/pricing", 2],
  [RIGHT_TO_LEFT, 2],
  ["/app", 3],
  ["/sign-out", 3],
] as const;
const nodes = flow.map(([label, layer], index) => ({ key: `n${index}`, label, layer }));
const links = (
  [
    [0, 2, 320],
    [0, 3, 210],
    [0, 4, 90],
    [1, 3, 180],
    [1, 4, 30],
    [2, 5, 60],
    [2, 6, 110],
    [3, 5, 300],
    [3, 7, 40],
    [4, 6, 20],
    [5, 8, 310],
    [6, 8, 20],
    [6, 9, 50],
    [7, 9, 12],
  ] as const
).map(([source, target, value]) => ({ source, target, value }));
const sankey: Record<string, State> = {
  plain: {
    heightPx: 360,
    draw: (pick) => (
      <Sankey
        nodes={nodes}
        links={links}
        format={format}
        onPickLink={(index) => pick("link", index)}
        onPickNode={(index) => pick("node", index)}
      />
    ),
  },
  one: { heightPx: 160, draw: () => <Sankey nodes={nodes.slice(0, 1)} links={[]} format={format} /> },
  crowd: {
    heightPx: 300,
    draw: () => (
      <Sankey
        nodes={Array.from({ length: 60 }, (_, index) => ({
          key: `${index}`,
          label: `/page/${index}`,
          layer: Math.floor(index / 20),
        }))}
        links={Array.from({ length: 80 }, (_, index) => ({
          source: index % 40,
          target: 20 + (index % 40 < 20 ? 0 : 20) + ((index * 7) % 20),
          value: 1 + ((index * 13) % 40),
        }))}
        format={format}
      />
    ),
  },
};

const world: Record<string, State> = {
  plain: {
    heightPx: 320,
    draw: (pick) => (
      <WorldMap
        countries={[
          ["US", 5_400],
          ["DE", 2_100],
          ["BR", 1_450],
          ["IN", 3_900],
          ["AU", 320],
          ["SG", 610],
          ["MT", 40],
          ["$$_posthog_breakdown_null_$$", 12],
        ].map(([code, value]) => ({ code: code as string, value: value as number }))}
        format={format}
        onPick={(index) => pick("country", index)}
      />
    ),
  },
  none: { heightPx: 320, draw: () => <WorldMap countries={[]} format={format} /> },
};

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
const next = numbers(3);
const weekdays = WEEKDAYS.map((label, day) => ({
  label,
  values: hours.map((_, hour) =>
    day === 6 && hour > 18
      ? null
      : Math.round((day > 4 ? 200 : 800) * Math.max(0, Math.sin(((hour - 5) / 18) * Math.PI)) * next()),
  ),
}));
const calendar: Record<string, State> = {
  plain: {
    draw: (pick) => (
      <CalendarHeat
        rows={weekdays}
        columns={hours}
        format={format}
        onPick={(row, column) => pick("calendar", row, column)}
      />
    ),
  },
  zero: {
    draw: () => (
      <CalendarHeat
        rows={WEEKDAYS.map((label) => ({ label, values: hours.map(() => 0) }))}
        columns={hours}
        format={format}
      />
    ),
  },
};

export const OTHERS = [
  { chart: "number", states: bigNumber },
  { chart: "pie", states: pie },
  { chart: "rank", states: rank },
  { chart: "funnel", states: funnels },
  { chart: "histogram", states: histogram },
  { chart: "retention", states: retention },
  { chart: "sankey", states: sankey },
  { chart: "world", states: world },
  { chart: "calendar", states: calendar },
];
