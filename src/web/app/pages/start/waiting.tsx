import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { call } from "../../api/client.ts";
import { useMayMake } from "../../session/environment.ts";
import { loadUser } from "../../session/session.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Spinner } from "../../ui/spinner.tsx";
import { told, useTask } from "../../ui/task.ts";
import { type SeenEvent, useFirstEvent } from "./firstEvent.ts";

const SHOWN_PROPERTIES = 8;

/** Waits for the first event of a project, and shows it. */
export function Waiting({ projectId }: { projectId: number }) {
  const { event, isLost } = useFirstEvent(projectId);
  // From now on Home shows more than how to begin.
  useEffect(() => {
    if (event !== null) loadUser().catch(() => {});
  }, [event]);
  if (event !== null) return <Arrived projectId={projectId} event={event} />;
  return (
    <div class="waiting" role="status">
      {isLost ? <Icon name="warning" /> : <Spinner />}
      {isLost ? "Weir does not answer. Trying again …" : "Waiting for the first event"}
    </div>
  );
}

function Arrived({ projectId, event }: { projectId: number; event: SeenEvent }) {
  const { route } = useLocation();
  const task = useTask();
  const mayMake = useMayMake(projectId);
  const makeDashboard = () =>
    task.run(() =>
      told(async () => route(hrefOf(projectId, `dashboard/${await readyDashboard(projectId, event.event)}`))),
    );
  const properties = Object.entries(event.properties ?? {}).slice(0, SHOWN_PROPERTIES);
  return (
    <div class="arrived">
      <p class="arrived-title" role="status">
        <Icon name="check" />
        An event has arrived
      </p>
      <dl class="facts">
        <Fact name="Event" value={event.event} />
        <Fact name="Person" value={event.distinct_id} />
        <div>
          <dt>Time</dt>
          <dd>
            <Ago at={event.timestamp} />
          </dd>
        </div>
        {properties.map(([name, value]) => (
          <Fact key={name} name={name} value={typeof value === "string" ? value : JSON.stringify(value)} />
        ))}
      </dl>
      <p class="row">
        {mayMake("dashboard") && (
          <Button look="primary" icon="dashboard" isBusy={task.isBusy} onClick={makeDashboard}>
            Make a dashboard
          </Button>
        )}
        <a class="button" href={hrefOf(projectId, "insights/new")}>
          Ask a question
        </a>
      </p>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt dir="auto" title={name}>
        {name}
      </dt>
      <dd dir="auto" title={value}>
        {value}
      </dd>
    </div>
  );
}

/** Makes the dashboard that suits what is sent, and puts it on Home. Gives its id. */
async function readyDashboard(projectId: number, event: string): Promise<number> {
  const params = { project_id: String(projectId) };
  const body = { use_template: event.startsWith("$page") ? "DEFAULT_APP" : "FIRST_EVENTS" };
  const { id } = await call("POST /api/environments/{project_id}/dashboards/", { params, body });
  // Without it the dashboard is in the list all the same.
  await call("PATCH /api/environments/{project_id}/", { params, body: { primary_dashboard: id } }).catch(() => {});
  return id;
}
