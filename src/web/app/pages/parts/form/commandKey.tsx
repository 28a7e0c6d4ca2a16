import { useState } from "preact/hooks";
import { call } from "../../../api/client.ts";
import { mayBeyond } from "../../../session/rights.ts";
import { Button } from "../../../ui/button.tsx";
import { Problem } from "../../../ui/notice.tsx";
import { ShownOnce } from "../../../ui/shownOnce.tsx";
import { useTask } from "../../../ui/task.ts";

interface CommandKeyProps {
  projectId: number;
  /** The command that it is for, such as "weir import". */
  command: string;
  scopes: readonly string[];
}

/** Makes a key that is good for a command on one project, and nothing more; nothing where the user may not. */
export function CommandKey({ projectId, command, scopes }: CommandKeyProps) {
  const [key, setKey] = useState<string | null>(null);
  const task = useTask();
  if (!mayBeyond("*")) return null;
  const make = () =>
    task.run(async () => {
      const body = { label: command, scopes: [...scopes] as never, scoped_teams: [projectId] };
      setKey((await call("POST /api/personal_api_keys/", { body })).value);
    });
  return (
    <>
      <p>
        <Button icon="key" isBusy={task.isBusy} onClick={() => void make()}>
          Make a key for it
        </Button>
      </p>
      {task.error !== undefined && <Problem error={task.error} />}
      {key !== null && (
        <ShownOnce title={`A key for ${command}`} label="WEIR_API_KEY" value={key} onClose={() => setKey(null)}>
          It works for this project and this command alone, and is not shown again. Revoke it in the settings when you
          are done.
        </ShownOnce>
      )}
    </>
  );
}
