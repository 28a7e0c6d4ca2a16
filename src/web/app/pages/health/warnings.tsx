import { invalidate } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import { formatCount, formatNumber } from "../../format/number.ts";
import { Ago } from "../../ui/ago.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { inWords } from "./equation.tsx";

type Warning = Answer<"GET /api/environments/{project_id}/ingestion_warnings/">["results"][number];

const SHOWN = 100;
const SAMPLES = 5;
const EVERY_MS = 15_000;

/** What senders should know, each kind with samples. */
export function Warnings({ projectId }: { projectId: number }) {
  const key = `health/${projectId}/warnings`;
  const load = () =>
    call("GET /api/environments/{project_id}/ingestion_warnings/", {
      params: { project_id: String(projectId) },
      query: { limit: SHOWN },
    });
  const { data, error } = useLive(key, load, EVERY_MS);
  return (
    <section class="health-part" aria-labelledby="health-warnings">
      <header>
        <h2 id="health-warnings">Warnings</h2>
        <p>Of the last 30 days: what was changed or left out, and of which events.</p>
      </header>
      {data === undefined && error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
      {data === undefined && error === undefined && <Skeleton heightPx={80} />}
      {data?.count === 0 && <p class="quiet">None.</p>}
      {data !== undefined && data.count > 0 && (
        <>
          <ul class="health-list">
            {[...Map.groupBy(data.results, ({ type }) => type)].map(([type, warnings]) => (
              <Kind key={type} type={type} warnings={warnings} />
            ))}
          </ul>
          {data.count > data.results.length && (
            <p class="quiet">These are of the newest {formatCount(data.results.length, "entry", "entries")}.</p>
          )}
        </>
      )}
    </section>
  );
}

function Kind({ type, warnings }: { type: string; warnings: readonly Warning[] }) {
  const events = warnings.reduce((sum, { count }) => sum + count, 0);
  const [newest] = warnings;
  return (
    <li>
      <details>
        <summary>
          <span class="health-name" dir="auto">
            {inWords(type)}
          </span>
          <span>{formatNumber(events)}</span>
          <small>{newest !== undefined && <Ago at={newest.timestamp} />}</small>
        </summary>
        <ul class="health-samples">
          {warnings.slice(0, SAMPLES).map(({ details, timestamp, count, first_timestamp }) => (
            <li key={`${first_timestamp}${JSON.stringify(details)}`}>
              <Details details={details} />
              <small>
                <Ago at={timestamp} />
                {count > 1 && `, ${formatNumber(count)} times in that hour`}
              </small>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

/** Strangers' names and values. */
export function Details({ details }: { details: Record<string, unknown> }) {
  const entries = Object.entries(details);
  if (entries.length === 0) return <p class="quiet">No more is known.</p>;
  return (
    <dl class="health-details">
      {entries.map(([name, value]) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        return (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            <dd dir="auto" title={text}>
              {text}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
