import { type Answer, call } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import { formatCount, formatDuration, formatNumber } from "../../format/number.ts";

const EVERY_MS = 15_000;

/** Messages of alerts and subscriptions on their way out. */
export function Messages({ projectId }: { projectId: number }) {
  const params = { project_id: String(projectId) };
  const load = () => call("GET /api/environments/{project_id}/deliveries/status/", { params });
  const { data } = useLive(`health/${projectId}/messages`, load, EVERY_MS);
  return (
    <section class="health-part" aria-labelledby="health-messages">
      <header>
        <h2 id="health-messages">Messages</h2>
        <p>What alerts and subscriptions send, until it has arrived.</p>
      </header>
      {data !== undefined && <p class="quiet">{messagesText(data)}</p>}
    </section>
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
