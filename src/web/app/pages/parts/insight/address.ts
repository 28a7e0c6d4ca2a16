import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { QueryNode } from "../../../api/node.ts";
import { readFragment, writeFragment } from "./fragment.ts";

/** A change after such a pause is a step of its own: back leads to what was before it. */
const STEP_PAUSE_MS = 1_000;

/** Keeps a question in the fragment of the address. `onRead` gets what the address has when the user goes back or follows a link. */
export function useAddress(onRead: (node: QueryNode | null) => void): (node: QueryNode | null) => void {
  const { url } = useLocation();
  const changedAtMs = useRef(0);
  const read = useRef(onRead);
  read.current = onRead;
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else read.current(readFragment(window.location.hash));
  }, [url]);
  useEffect(() => {
    const moved = () => read.current(readFragment(window.location.hash));
    window.addEventListener("popstate", moved);
    return () => window.removeEventListener("popstate", moved);
  }, []);
  return (node) => {
    const { pathname, search, hash } = window.location;
    const next = node === null ? "" : writeFragment(node);
    if (next === hash) return;
    const nowMs = Date.now();
    const isStep = nowMs - changedAtMs.current > STEP_PAUSE_MS;
    changedAtMs.current = nowMs;
    const address = pathname + search + next;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  };
}
