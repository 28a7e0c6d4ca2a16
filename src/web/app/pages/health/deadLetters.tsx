import { useState } from "preact/hooks";
import { invalidate } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import { formatCount, formatNumber } from "../../format/number.ts";
import { may } from "../../session/rights.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";
import { inWords, LANE_WORDS } from "./equation.tsx";
import { statusKey } from "./figures.ts";
import { Details } from "./warnings.tsx";

type Letter = Answer<"GET /api/environments/{project_id}/dead_letters/">["results"][number];

const SHOWN = 50;
const EVERY_MS = 15_000;

/** Events that were set aside, with a way to send them in again. */
export function DeadLetters({ projectId }: { projectId: number }) {
  const key = `health/${projectId}/letters`;
  const params = { project_id: String(projectId) };
  const load = () => call("GET /api/environments/{project_id}/dead_letters/", { params, query: { limit: SHOWN } });
  const { data, error } = useLive(key, load, EVERY_MS);
  const task = useTask();
  const [busy, setBusy] = useState<number | null>(null);
  const mayRedrive = may("project:write");
  const waiting = data?.results.filter(({ redriven_at }) => redriven_at === null) ?? [];
  const redrive = (letters: readonly Letter[]) =>
    task.run(async () => {
      try {
        for (const { id } of letters) {
          setBusy(id);
          await call("POST /api/environments/{project_id}/dead_letters/{id}/redrive/", {
            params: { ...params, id },
          });
        }
        toast(`${formatCount(letters.length, "event")} sent in again`);
      } finally {
        setBusy(null);
        invalidate(key);
        invalidate(statusKey(projectId));
      }
    });
  return (
    <section class="health-part" aria-labelledby="health-letters">
      <header>
        <h2 id="health-letters">Dead letters</h2>
        <p>Accepted events that could not be worked on. Send them in again when the cause is repaired.</p>
        {mayRedrive && waiting.length > 1 && (
          <Button icon="refresh" isBusy={task.isBusy} onClick={() => void redrive(waiting)}>
            Send {formatNumber(waiting.length)} in again
          </Button>
        )}
      </header>
      {data === undefined && error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
      {data === undefined && error === undefined && <Skeleton heightPx={80} />}
      {task.error !== undefined && <Problem error={task.error} />}
      {data?.count === 0 && <p class="quiet">None.</p>}
      {data !== undefined && data.count > 0 && (
        <ul class="health-list">
          {data.results.map((letter) => (
            <One
              key={letter.id}
              letter={letter}
              isBusy={busy === letter.id}
              isHeld={task.isBusy}
              onRedrive={mayRedrive ? () => void redrive([letter]) : undefined}
            />
          ))}
        </ul>
      )}
      {data !== undefined && data.count > data.results.length && (
        <p class="quiet">These are the newest of {formatNumber(data.count)}.</p>
      )}
    </section>
  );
}

interface OneProps {
  letter: Letter;
  isBusy: boolean;
  isHeld: boolean;
  /** Absent: the user may not. */
  onRedrive?(): void;
}

function One({ letter, isBusy, isHeld, onRedrive }: OneProps) {
  const { event, reason, detail, lane, timestamp, redriven_at } = letter;
  const name = event?.event ?? "An event that could not be read";
  const { properties, ...rest } = event ?? { properties: {} };
  return (
    <li class="health-letter">
      <details>
        <summary>
          <span class="health-name" dir="auto" title={name}>
            {name}
          </span>
          <span class="health-reason">{inWords(reason)}</span>
          <small>
            <Ago at={timestamp} />
          </small>
        </summary>
        <p dir="auto">{detail}</p>
        <Details details={{ lane: LANE_WORDS[lane][0], ...rest, ...properties }} />
      </details>
      {redriven_at === null && onRedrive !== undefined && (
        <Button look="quiet" isBusy={isBusy} disabled={isHeld} onClick={onRedrive}>
          Send in again
          <span class="unseen"> {name}</span>
        </Button>
      )}
      {redriven_at !== null && (
        <small>
          sent in again <Ago at={redriven_at} />
        </small>
      )}
    </li>
  );
}
