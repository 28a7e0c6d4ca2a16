import { useState } from "preact/hooks";
import { type Answer, call } from "../../api/client.ts";
import type { BatchExport } from "../../api/schema.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useTask } from "../../ui/task.ts";

type Result = Answer<"POST /api/environments/{project_id}/batch_exports/run_test_step_new/">["result"];

interface TestConnectionProps {
  projectId: number;
  /** Of a saved one its secrets count, too. */
  saved: BatchExport | null;
  /** The destination as it stands in the form; absent: as it is saved. */
  wish?(): { type: string; config: Record<string, unknown> };
}

/** Connects to a destination as a run does, and says whether that works. */
export function TestConnection({ projectId, saved, wish }: TestConnectionProps) {
  const [result, setResult] = useState<Result>(null);
  const task = useTask();
  const test = () =>
    task.run(async () => {
      setResult(null);
      const project = { project_id: String(projectId) };
      const path = "/api/environments/{project_id}/batch_exports/" as const;
      const destination = wish?.();
      const step =
        saved === null
          ? await call(`POST ${path}run_test_step_new/`, {
              params: project,
              body: { step: 0, destination: destination! },
            })
          : await call(`POST ${path}{id}/run_test_step/`, {
              params: { ...project, id: saved.id },
              body: { step: 0, ...(destination !== undefined && { destination }) },
            });
      setResult(step.result);
    });
  return (
    <div class="stack">
      <div class="row">
        <Button isBusy={task.isBusy} onClick={() => void test()}>
          Test the connection
        </Button>
        <span role="status">
          {result?.status === "Passed" && (
            <span class="state-words">
              <Icon name="check" />
              It works
            </span>
          )}
        </span>
      </div>
      {result?.status === "Failed" && <Problem error={result.message ?? "It does not work."} />}
      {task.error !== undefined && <Problem error={task.error} />}
    </div>
  );
}
