import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type Answer, call } from "../../api/client.ts";
import { formatNumber } from "../../format/number.ts";
import { loadUser } from "../../session/session.ts";
import { hrefOf } from "../../shell/entries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Progress } from "../../ui/spinner.tsx";
import { told, useTask } from "../../ui/task.ts";

type Demo = Answer<"POST /api/projects/demo/">;
const EVERY_MS = 400;

/** A project with months of made-up events, to look around in. */
export function DemoButton() {
  const task = useTask();
  const [demo, setDemo] = useState<Demo | null>(null);
  const make = () => task.run(() => told(async () => setDemo(await call("POST /api/projects/demo/", {}))));
  return (
    <>
      <Button isBusy={task.isBusy} onClick={make}>
        Load the demo project
      </Button>
      {demo !== null && <Filling demo={demo} onClose={() => setDemo(null)} />}
    </>
  );
}

/** Shows how far it is, and goes there when it is done; closing it leaves it going on. */
function Filling({ demo, onClose }: { demo: Demo; onClose(): void }) {
  const { route } = useLocation();
  const [events, setEvents] = useState<number | null>(null);
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    const end = new AbortController();
    watch(demo.id, end.signal, setEvents)
      .then(loadUser)
      .then(() => route(hrefOf(demo.id, `dashboard/${demo.primary_dashboard}`)))
      .catch((error: unknown) => end.signal.aborted || setProblem(error));
    return () => end.abort();
  }, [demo, route]);
  return (
    <Dialog title="Making the demo project" onClose={onClose}>
      {problem === undefined ? (
        <div class="stack">
          <Progress label="Making the demo project" ratio={null} />
          <p role="status">{!events ? "Making up people…" : `${formatNumber(events)} events so far`}</p>
          <p class="quiet">
            Months of a made-up product. Its dashboard opens when it is there. You can delete it at any time.
          </p>
        </div>
      ) : (
        <Problem error={problem} />
      )}
    </Dialog>
  );
}

/** Ends when all events are there. Throws ApiError, AbortError. */
async function watch(id: number, signal: AbortSignal, tell: (events: number) => void): Promise<void> {
  const params = { project_id: String(id) };
  for (;;) {
    const [{ is_generating_demo_data: isGoingOn }, { stored, queued }] = await Promise.all([
      call("GET /api/environments/{project_id}/is_generating_demo_data/", { params, signal }),
      call("GET /api/environments/{project_id}/ingestion_status/", { params, signal }),
    ]);
    tell(stored);
    // What is sent is not all stored yet, and a dashboard would keep what it saw.
    if (!isGoingOn && queued === 0) return;
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    signal.throwIfAborted();
  }
}
