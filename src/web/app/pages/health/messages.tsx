import { type Answer, call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import { formatCount, formatDuration, formatNumber } from "../../format/number.ts";
import { useEnvironment } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { Ago } from "../../ui/ago.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Details } from "./warnings.tsx";

const EVERY_MS = 15_000;
/** Of the newest so many messages the first failures. */
const LOOKED_AT = 200;
const SHOWN = 20;

/** Messages of alerts and subscriptions on their way out. */
export function Messages({ projectId }: { projectId: number }) {
  const params = { project_id: String(projectId) };
  const load = () => call("GET /api/environments/{project_id}/deliveries/status/", { params });
  const { data, error } = useLive(`health/${projectId}/messages`, load, EVERY_MS);
  const seesTargets = useEnvironment(projectId).data?.user_access_level === "admin" && may("alert:read");
  const hasFailed = data !== undefined && data.failing + data.failed > 0;
  return (
    <section class="health-part" aria-labelledby="health-messages">
      <header>
        <h2 id="health-messages">Messages</h2>
        <p>What alerts and subscriptions send, until it has arrived.</p>
      </header>
      {error !== undefined && <Problem error={error} />}
      {data !== undefined && <p class="quiet">{messagesText(data)}</p>}
      {hasFailed && seesTargets && <Failures projectId={projectId} />}
    </section>
  );
}

/** Which messages did not arrive, and why. What a receiver answered is a stranger's text. */
function Failures({ projectId }: { projectId: number }) {
  const load = () =>
    call("GET /api/environments/{project_id}/deliveries/", {
      params: { project_id: String(projectId) },
      query: { limit: LOOKED_AT },
    });
  const { data } = useLive(`health/${projectId}/failures`, load, EVERY_MS);
  const failures = (data?.results ?? []).filter(
    ({ state, latest_error: why }) => state !== "delivered" && why !== null,
  );
  return (
    <ul class="health-list" aria-label="Messages that did not arrive">
      {failures.slice(0, SHOWN).map(({ id, title, kind, target, state, attempts, latest_error, created_at }) => (
        <li key={id}>
          <details>
            <summary>
              <span class="health-name" dir="auto">
                {title || kind}
              </span>
              <span>{state === "failed" ? "given up" : formatCount(attempts, "try", "tries")}</span>
              <small>
                <Ago at={created_at} />
              </small>
            </summary>
            <Details details={{ to: target, error: latest_error }} />
          </details>
        </li>
      ))}
    </ul>
  );
}

type Outbox = Answer<"GET /api/environments/{project_id}/deliveries/status/">;

/** How many wait, how many have failed, since when, in words. */
export function messagesText({ waiting, failing, oldest_ms: oldestMs, failed }: Outbox): string {
  const wait =
    waiting === 0
      ? "None waits."
      : `${formatCount(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}, the oldest for ${formatDuration(Math.round((oldestMs ?? 0) / 1000))}.`;
  const fail = failing === 0 ? "" : ` A try has failed of ${formatNumber(failing)}.`;
  return wait + fail + (failed === 0 ? "" : ` ${formatNumber(failed)} could not be delivered in the last 30 days.`);
}
