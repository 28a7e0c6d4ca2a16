import { useMemo, useState } from "preact/hooks";
import { invalidate } from "../../api/cache.ts";
import { TimeChart } from "../../charts/timeChart.tsx";
import type { Series } from "../../charts/types.ts";
import { axisLabels, formatDateTime, placeTitle } from "../../format/date.ts";
import { formatCount, formatDuration, formatNumber, formatShort } from "../../format/number.ts";
import { Segments } from "../../ui/field.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { LANE_WORDS } from "./equation.tsx";
import { usePast } from "./figures.ts";
import { type Gap, gapsOf, LANES, OUTCOMES, RANGES, type Steps, stepsOf } from "./steps.ts";
import type { Past } from "./types.ts";

const NAMES = { stored: "Stored", duplicates: "Duplicates", dropped: "Dropped", dead_letters: "Dead letters" };
const COLORS = { stored: 0, duplicates: 4, dropped: 1, dead_letters: 5 };
const SYNC = "health";
const GAPS_SHOWN = 4;

/** What became of events over time, what waited, and how long. */
export function History({ projectId, zone }: { projectId: number; zone: string }) {
  const [key, setKey] = useState("3h");
  const range = RANGES.find((one) => one.key === key) ?? RANGES[0]!;
  const { data, error } = usePast(projectId, range);
  return (
    <section class="health-part" aria-labelledby="health-history">
      <header>
        <h2 id="health-history">Over time</h2>
        <Segments
          label="How far back"
          value={key}
          choices={RANGES.map(({ key, label }) => ({ value: key, label }))}
          onChange={(next) => setKey(next)}
        />
      </header>
      {data === undefined && error === undefined && <Skeleton heightPx={520} />}
      {data === undefined && error !== undefined && (
        <Problem error={error} onRetry={() => invalidate(`health/${projectId}/past`)} />
      )}
      {data !== undefined && <Charts past={data} group={range.group} zone={zone} />}
    </section>
  );
}

function Charts({ past, group, zone }: { past: Past; group: number; zone: string }) {
  const steps = useMemo(() => stepsOf(past, group), [past, group]);
  const gaps = useMemo(() => gapsOf(past), [past]);
  const series = useMemo(() => seriesOf(steps), [steps]);
  const axis = useMemo(() => axisOf(steps, zone), [steps, zone]);
  if (steps.queued.every((value) => value === null)) {
    return <p class="quiet">The first figures are noted when a minute is over. Come back then.</p>;
  }
  return (
    <>
      <Chart title="Events, by what became of them">
        <TimeChart
          {...axis}
          series={series.became}
          look="stacked"
          format={formatNumber}
          formatShort={formatShort}
          syncKey={SYNC}
        />
      </Chart>
      <div class="health-pair">
        <Chart title="Longest queue">
          <TimeChart
            {...axis}
            series={series.queued}
            look="line"
            format={formatNumber}
            formatShort={formatShort}
            syncKey={SYNC}
            isNamedElsewhere
          />
        </Chart>
        <Chart title="Highest lag, by lane">
          <TimeChart {...axis} series={series.lag} look="line" format={formatDuration} syncKey={SYNC} />
        </Chart>
      </div>
      <Gaps gaps={gaps} zone={zone} />
    </>
  );
}

function Chart({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <div class="health-chart">
      <h3>{title}</h3>
      <div class="health-plot">{children}</div>
    </div>
  );
}

function axisOf({ atMs, placeMs }: Steps, zone: string) {
  const places = atMs.map((ms) => new Date(ms).toISOString());
  const interval = placeMs >= 86_400_000 ? "day" : "minute";
  return {
    axis: axisLabels(places, interval, zone),
    titles: places.map((place, at) => `${placeTitle(place, "minute", zone)} – ${endOf(atMs[at]! + placeMs, zone)}`),
  };
}

const endOf = (ms: number, zone: string) => axisLabels([new Date(ms).toISOString()], "minute", zone)[0]!;

function seriesOf({ became, queued, lagMs }: Steps): Record<"became" | "queued" | "lag", Series[]> {
  const lanes = LANES.filter((lane) => lane === "live" || lagMs[lane].some((value) => value !== null && value > 0));
  return {
    became: OUTCOMES.filter(
      (one) => one === "stored" || became[one].some((value) => value !== null && value !== 0),
    ).map((one) => ({ key: one, label: NAMES[one], values: became[one], color: COLORS[one] })),
    queued: [{ key: "queued", label: "Longest queue", values: queued, color: 3 }],
    lag: lanes.map((lane) => ({
      key: lane,
      label: LANE_WORDS[lane][0],
      values: lagMs[lane].map((value) => (value === null ? null : value / 1000)),
      color: LANES.indexOf(lane),
    })),
  };
}

const REASONS: Readonly<Record<string, string>> = {
  broker_unavailable: "the message broker was away",
  streams_unavailable: "the event streams were being prepared",
  unknown: "they could not be read",
};

/** When there were no figures, and why. */
function Gaps({ gaps, zone }: { gaps: readonly Gap[]; zone: string }) {
  if (gaps.length === 0) return null;
  return (
    <div class="health-gaps">
      <h3>Without figures</h3>
      <ul>
        {gaps.slice(0, GAPS_SHOWN).map(({ fromMs, toMs, minutes, problem }) => (
          <li key={fromMs}>
            {formatDateTime(new Date(fromMs), zone)} – {endOf(toMs, zone)}: {formatCount(minutes, "minute")},{" "}
            {problem === null
              ? "because Weir or its API process did not run"
              : `because ${REASONS[problem] ?? problem}`}
          </li>
        ))}
      </ul>
      <p class="quiet">
        {gaps.length > GAPS_SHOWN && `And ${formatCount(gaps.length - GAPS_SHOWN, "time")} more. `}
        What came meanwhile is in the first bar after it.
      </p>
    </div>
  );
}
