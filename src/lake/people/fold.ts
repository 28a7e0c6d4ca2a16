import { ABOVE_VERSIONS, moveVersion, OP } from "./logColumns.ts";

/**
 * SQL text that folds property rows to the values that hold now: one row of `id`, `key`, `value` for each property.
 *
 * `rows` is a SELECT of `id`, `key`, `op`, `value`, `v` (the version). What `reduced` leaves out changes nothing here.
 * `moved`, where ids merge: a SELECT of `id`, `survivor_id`, `moves`; the rows of one survivor are folded together.
 *
 * Nearly always one id has rows of a key and there is no unset: then one maximum finds the value. The rest goes
 * the long way (protocol rule 19), which is exact for every history of merges:
 *
 * - A row is dead when a later unset came from an id that was in the same person then.
 * - Of the living the one with the greatest precedence holds. That is a list, compared element by element: for each
 *   merge after the row that carried its person into another, latest first, minus the merge's version; then for a set
 *   infinity and its version, for a once minus its version. So at the merge where two ids met, the target's older
 *   rows beat the source's, any newer set beats both, and a newer once beats nothing.
 * - A key that one event sets and unsets (`turned`) is there after it only if nothing was there before. Whether there was depends on
 *   all that came earlier, so such keys are gone through event by event; they are rare.
 */
export function fold(rows: string, moved: string | null): string {
  const parts = moved === null ? APART : merging(moved);
  return `(with said as (select ${parts.root} as root, r.* from (${rows}) r ${parts.joinRoot}),
    plain as (select root, key, arg_max(value, ${RANK}) as value,
        ${parts.isSeveral} as is_several, bool_or(op = ${OP.unset}) as is_unset
      from said r group by root, key),
    involved as (select r.*, ${parts.moves} as moves, p.is_unset
      from said r join plain p using (root, key) ${parts.joinMoves} where p.is_several or p.is_unset),
    events as materialized (select root, key, v, any_value(id) as id, any_value(moves) as moves,
        min(op) filter (op <> ${OP.unset}) as op, arg_min(value, op) filter (op <> ${OP.unset}) as value,
        bool_or(op = ${OP.unset}) as is_unset
      from involved where is_unset group by root, key, v),
    dead as (select r.root, r.key, r.v from events r join events u on r.root = u.root and r.key = u.key
      where u.is_unset and (u.v > r.v and (r.id = u.id or ${parts.wereOne("r", "u")}) or u.op is not null)),
    alive as (select root, key, op, value, v, moves from events anti join dead using (root, key, v) where op is not null
      union all ${aliveInTurn(parts)})
    select root as id, key, value from plain where not is_several and not is_unset
    union all
    select root, key, arg_max(value, ${parts.precedence}) from involved where not is_unset group by root, key
    union all
    select root, key, arg_max(value, ${parts.precedence}) from alive group by root, key)`;
}

/** Of keys that an event both sets and unsets: the rows that are alive after all events. */
function aliveInTurn({ wereOne }: typeof APART): string {
  const kept = `list_filter(living, lambda r: not (e[1].is_unset and (r.id = e[1].id or ${wereOne("r", "e[1]")})))`;
  return `select root, key, row.op, row.value, row.v, row.moves
    from (select root, key, unnest(list_reduce(list([e] order by v), lambda living, e: list_transform([${kept}], lambda kept:
          case when e[1].op is null or len(kept) < len(living) then kept else list_concat(kept, e) end)[1], list([e] order by v)[1][:0])) as row
      from events e group by root, key having bool_or(is_unset and op is not null))`;
}

const RANK = `case op when ${OP.set} then ${ABOVE_VERSIONS} + v when ${OP.once} then -v end`;

/** How ids that never merge are folded. */
const APART = {
  root: "r.id",
  joinRoot: "",
  isSeveral: "false",
  moves: "null",
  joinMoves: "",
  wereOne: (_row: string, _unset: string) => "false",
  precedence: RANK,
};

function merging(moved: string): typeof APART {
  return {
    root: "coalesce(n.survivor_id, r.id)",
    joinRoot: `left join (select id, survivor_id from ${moved}) n on n.id = r.id`,
    isSeveral: "min(id) <> max(id)",
    moves: "n.moves",
    joinMoves: `left join (select id, moves from ${moved}) n on n.id = r.id`,
    wereOne: (row, unset) => `${personAt(row, `${unset}.v`)} = ${personAt(unset, `${unset}.v`)}`,
    precedence: `list_concat(
      list_reverse(list_transform(list_filter(moves, lambda m: ${moveVersion("m")} > v), lambda m: -${moveVersion("m")})),
      case op when ${OP.set} then [${ABOVE_VERSIONS}::hugeint, v] else [-v] end)`,
  };
}

/** The person that a row's id was in at a version: where its last merge until then had carried it. */
function personAt(row: string, version: string): string {
  return `coalesce(list_filter(${row}.moves, lambda m: ${moveVersion("m")} <= ${version})[-1].into_id, ${row}.id)`;
}
