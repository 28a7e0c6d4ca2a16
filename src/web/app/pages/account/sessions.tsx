import { invalidate, useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { formatBrowser } from "../../format/browser.ts";
import { logOut } from "../../session/session.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { told, useTask } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";

type Session = Answer<"GET /api/users/{uuid}/sessions/">["results"][number];
const KEY = "sessions";
const PARAMS = { uuid: "@me" };

/** The sessions of the user, each with a way to end it. */
export function Sessions() {
  const { data, error } = useData(KEY, () =>
    call("GET /api/users/{uuid}/sessions/", { params: PARAMS, query: { limit: 100 } }),
  );
  const task = useTask();
  const act = (work: () => Promise<unknown>, done: string) =>
    task.run(() =>
      told(async () => {
        await work();
        toast(done);
        invalidate(KEY);
      }),
    );
  if (error !== undefined && data === undefined) return <Problem error={error} onRetry={() => invalidate(KEY)} />;
  const end = ({ id, is_current }: Session) =>
    is_current
      ? act(logOut, "Logged out")
      : act(
          () => call("DELETE /api/users/{uuid}/sessions/{id}/", { params: { ...PARAMS, id } }),
          "That session is over",
        );
  const endOthers = () =>
    act(() => call("POST /api/users/{uuid}/sessions/end_others/", { params: PARAMS }), "All other sessions are over");
  return (
    <>
      <Table
        label="Where you are logged in"
        columns={columnsWith(end, task.isBusy)}
        rows={data?.results}
        keyOf={({ id }) => id}
        nothing="No browser is logged in"
      />
      {(data?.count ?? 0) > 1 && (
        <p>
          <Button isBusy={task.isBusy} onClick={endOthers}>
            Log out everywhere else
          </Button>
        </p>
      )}
    </>
  );
}

function columnsWith(end: (session: Session) => void, isBusy: boolean): readonly Column<Session>[] {
  return [
    {
      key: "browser",
      label: "Browser",
      cell: ({ user_agent, is_current }) => (
        <span title={user_agent}>
          {formatBrowser(user_agent)}
          {is_current && <span class="badge">This browser</span>}
        </span>
      ),
    },
    { key: "address", label: "Address", cell: ({ address }) => address ?? "unknown" },
    { key: "seen", label: "Last seen", cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
    { key: "since", label: "Logged in", cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      key: "end",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (session) => (
        <Button look="quiet" disabled={isBusy} onClick={() => end(session)}>
          Log out
          <span class="unseen"> of {formatBrowser(session.user_agent)}</span>
        </Button>
      ),
    },
  ];
}
