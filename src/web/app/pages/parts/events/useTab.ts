import { useEffect, useState } from "preact/hooks";

/** Which part of a page is shown; it stands in the fragment of the address. */
export function useTab<K extends string>(tabs: readonly { key: K }[]): [K, (key: K) => void] {
  const first = tabs[0]!.key;
  const named = () => tabs.find(({ key }) => key === window.location.hash.slice(1))?.key ?? first;
  const [tab, setTab] = useState<K>(named);
  useEffect(() => {
    const follow = () => setTab(named());
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const choose = (key: K) => {
    setTab(key);
    const { pathname, search } = window.location;
    const fragment = key === first ? "" : `#${key}`;
    window.history.replaceState(window.history.state, "", pathname + search + fragment);
  };
  return [tab, choose];
}
