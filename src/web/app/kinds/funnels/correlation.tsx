import { useEffect, useState } from "preact/hooks";
import { runQuery } from "../../api/query.ts";
import { formatNumber } from "../../format/number.ts";
import { eventLabel } from "../../question/names.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/field.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import type { BelowProps, Drill } from "../kind.ts";
import {
  type Compared,
  type Correlation,
  type CorrelationResults,
  correlationDrill,
  correlationLabel,
  correlationNode,
} from "./correlationDrill.ts";
import { type FunnelsNode, shapeOf } from "./node.ts";

const TYPES = [
  { value: "events", label: "Events" },
  { value: "properties", label: "Properties" },
] as const;

/** Below the steps of a funnel: what those who converted did or had more often than the others. Asked for on demand. */
export function FunnelCorrelation(props: BelowProps<FunnelsNode>) {
  const { node } = props;
  const [compared, setCompared] = useState<Compared | null>(null);
  if (shapeOf(node) !== "steps" || node.series.length < 2) return null;
  return (
    <section class="correlation" aria-labelledby="correlation-title">
      <header>
        <h2 id="correlation-title">Correlation</h2>
        {compared !== null && (
          <Segments
            label="Compared"
            value={compared.type === "properties" ? "properties" : "events"}
            choices={TYPES}
            onChange={(type) => setCompared({ type })}
          />
        )}
      </header>
      {compared === null ? (
        <div>
          <p class="kind-hint">
            Finds events and properties that set people who convert apart from those who drop off.
          </p>
          <Button onClick={() => setCompared({ type: "events" })}>Find correlations</Button>
        </div>
      ) : (
        <Found key={JSON.stringify([node, compared])} {...props} compared={compared} onCompare={setCompared} />
      )}
    </section>
  );
}

type FoundProps = BelowProps<FunnelsNode> & { compared: Compared; onCompare(compared: Compared): void };

function Found({ projectId, node, compared, onCompare, onDrill }: FoundProps) {
  const [results, setResults] = useState<CorrelationResults>();
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setError(undefined);
    runQuery(projectId, correlationNode(node, compared), { signal: abort.signal })
      .then((answer) => setResults(answer.results as CorrelationResults))
      .catch((failure: unknown) => !abort.signal.aborted && setError(failure));
    return () => abort.abort();
  }, [tries]);
  const back = compared.type === "event_with_properties" && (
    <p class="kind-row">
      <Button look="quiet" onClick={() => onCompare({ type: "events" })}>
        All events
      </Button>
      <span dir="auto">Properties of {eventLabel(compared.event)}</span>
    </p>
  );
  if (error !== undefined) return <Problem error={error} onRetry={() => setTries(tries + 1)} />;
  if (results === undefined) return <Skeleton heightPx={160} />;
  return (
    <>
      {back}
      {results.skewed && (
        <p class="kind-hint">
          Nearly all or nearly none of the people converted, so these ratios say little. A longer period or other steps
          tell more.
        </p>
      )}
      {results.events.length === 0 ? (
        <p class="kind-hint">No event or property of enough people makes a difference.</p>
      ) : (
        <Table node={node} compared={compared} rows={results.events} onDrill={onDrill} onCompare={onCompare} />
      )}
    </>
  );
}

interface TableProps {
  node: FunnelsNode;
  compared: Compared;
  rows: readonly Correlation[];
  onDrill?(drill: Drill): void;
  onCompare(compared: Compared): void;
}

function Table({ node, compared, rows, onDrill, onCompare }: TableProps) {
  return (
    <div class="correlation-scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{compared.type === "events" ? "Event" : "Property"}</th>
            <th scope="col">Odds</th>
            <th scope="col" class="number">
              Converted
            </th>
            <th scope="col" class="number">
              Dropped off
            </th>
            {compared.type === "events" && (
              <th scope="col">
                <span class="unseen">More</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const label = correlationLabel(row.event.event, compared);
            return (
              <tr key={row.event.event}>
                <th scope="row" dir="auto" title={label}>
                  {label}
                </th>
                <td class={row.correlation_type}>{oddsOf(row)}</td>
                {[true, false].map((hasConverted) => (
                  <td key={String(hasConverted)} class="number">
                    <Count
                      count={hasConverted ? row.success_count : row.failure_count}
                      drill={correlationDrill(node, compared, row, hasConverted)}
                      onDrill={onDrill}
                    />
                  </td>
                ))}
                {compared.type === "events" && (
                  <td>
                    <Button
                      look="quiet"
                      aria-label={`Properties of ${label}`}
                      onClick={() => onCompare({ type: "event_with_properties", event: row.event.event })}
                    >
                      Properties
                    </Button>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** "2.3× the odds to convert", or the other way round. */
function oddsOf({ odds_ratio: odds, correlation_type: type }: Correlation): string {
  const times = type === "success" ? odds : 1 / odds;
  const shown = times >= 100 ? formatNumber(Math.round(times)) : formatNumber(Math.round(times * 10) / 10);
  return `${shown}× the odds to ${type === "success" ? "convert" : "drop off"}`;
}

function Count({ count, drill, onDrill }: { count: number; drill: Drill | null; onDrill?(drill: Drill): void }) {
  if (onDrill === undefined || drill === null || count === 0) return <>{formatNumber(count)}</>;
  return (
    <button
      type="button"
      class="link"
      aria-label={`${formatNumber(count)} people: ${drill.title}`}
      onClick={() => onDrill(drill)}
    >
      {formatNumber(count)}
    </button>
  );
}
