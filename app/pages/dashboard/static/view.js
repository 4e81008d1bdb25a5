// What the pages take of preact and htm, with its types.
// htm drops the spaces around a line break in a template: where words must stay apart, write ${" "} at the end of a line.
// @ts-types="../types/preact.d.ts"
export { html, render, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact.js";
