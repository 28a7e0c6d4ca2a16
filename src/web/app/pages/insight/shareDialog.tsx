import { useState } from "preact/hooks";
import { remember, useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { copyText } from "./copyText.ts";
import type { Insight } from "./insightApi.ts";

interface ShareDialogProps {
  projectId: number;
  insight: Insight;
  onClose(): void;
}

type Sharing = Answer<"GET /api/environments/{project_id}/insights/{id}/sharing/">;

/** A link that everyone can open, and code to embed the insight. */
export function ShareDialog({ projectId, insight, onClose }: ShareDialogProps) {
  const params = { project_id: String(projectId), id: insight.id };
  const key = `sharing ${projectId} insight ${insight.id}`;
  const { data, error } = useData(key, () =>
    call("GET /api/environments/{project_id}/insights/{id}/sharing/", { params }),
  );
  const [problem, setProblem] = useState<unknown>();
  const put = (ask: Promise<Sharing>) => {
    setProblem(undefined);
    ask.then((next) => remember(key, next), setProblem);
  };
  const set = (enabled: boolean) =>
    put(call("PATCH /api/environments/{project_id}/insights/{id}/sharing/", { params, body: { enabled } }));
  const renew = () => put(call("POST /api/environments/{project_id}/insights/{id}/sharing/refresh/", { params }));
  return (
    <Dialog title="Share" onClose={onClose}>
      <div class="stack">
        {(error ?? problem) !== undefined && <Problem error={error ?? problem} />}
        {data === undefined && error === undefined && <Skeleton heightPx={96} />}
        {data !== undefined && (
          <Checkbox label="Everyone with the link can see this insight" isOn={data.enabled} onChange={set} />
        )}
        {data?.enabled && <Links token={data.access_token} name={insight.name ?? ""} onRenew={renew} />}
      </div>
    </Dialog>
  );
}

function Links({ token, name, onRenew }: { token: string; name: string; onRenew(): void }) {
  const { origin } = window.location;
  const link = `${origin}/shared/${token}`;
  const title = name.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const code = `<iframe src="${origin}/embedded/${token}" title="${title}" width="100%" height="400" style="border:0"></iframe>`;
  return (
    <>
      <div class="copy-row">
        <TextField label="Link" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        <Button icon="copy" onClick={() => void copyText(link)}>
          Copy
        </Button>
      </div>
      <div class="copy-row">
        <TextField label="Code to embed it" readOnly value={code} onFocus={(event) => event.currentTarget.select()} />
        <Button icon="copy" onClick={() => void copyText(code)}>
          Copy
        </Button>
      </div>
      <Button look="quiet" icon="refresh" onClick={onRenew}>
        Make a new link; the old one ends
      </Button>
    </>
  );
}
