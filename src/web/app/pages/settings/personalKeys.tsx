import { useState } from "preact/hooks";
import { invalidate, useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { Ago } from "../../ui/ago.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { KEYS, NewKey } from "./newKey.tsx";

type Key = Answer<"GET /api/personal_api_keys/">["results"][number];

/** The keys of the user, for programs. */
export function PersonalKeys() {
  const { data, error } = useData(KEYS, () => call("GET /api/personal_api_keys/", { query: { limit: 200 } }));
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<Key | null>(null);
  if (data === undefined && error !== undefined) return <Problem error={error} onRetry={() => invalidate(KEYS)} />;
  const revoke = async ({ id }: Key) => {
    await call("DELETE /api/personal_api_keys/{id}/", { params: { id } });
    invalidate(KEYS);
  };
  return (
    <>
      <Table
        label="Personal keys"
        columns={columnsWith(setLeaving)}
        rows={data?.results}
        keyOf={({ id }) => id}
        nothing="You have no key"
      />
      <p>
        <Button icon="key" onClick={() => setMaking(true)}>
          New key
        </Button>
      </p>
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {leaving !== null && (
        <Confirm
          title={`Revoke “${leaving.label}”?`}
          action="Revoke"
          isDangerous
          onConfirm={() => revoke(leaving)}
          onClose={() => setLeaving(null)}
        >
          Programs that use this key are refused from now on.
        </Confirm>
      )}
    </>
  );
}

function columnsWith(revoke: (key: Key) => void): readonly Column<Key>[] {
  return [
    {
      key: "label",
      label: "Name",
      cell: ({ label }) => <span title={label}>{label}</span>,
      sortBy: ({ label }) => label,
    },
    { key: "value", label: "Key", cell: ({ mask_value }) => <code>{mask_value}</code> },
    { key: "scopes", label: "Access", cell: ({ scopes }) => <span title={scopes.join(", ")}>{rightsOf(scopes)}</span> },
    {
      key: "used",
      label: "Last used",
      cell: ({ last_used_at }) => (last_used_at === null ? "never" : <Ago at={last_used_at} />),
      sortBy: ({ last_used_at }) => last_used_at,
    },
    {
      key: "revoke",
      label: "Actions",
      isLabelHidden: true,
      isNumber: true,
      cell: (key) => (
        <Button look="quiet" onClick={() => revoke(key)}>
          Revoke
          <span class="unseen"> {key.label}</span>
        </Button>
      ),
    },
  ];
}

function rightsOf(scopes: readonly string[]): string {
  if (scopes.includes("*")) return "everything";
  if (scopes.every((scope) => scope.endsWith(":read"))) return scopes.length === 1 ? scopes[0]! : "read";
  return scopes.length === 1 ? scopes[0]! : `${scopes.length} scopes`;
}
