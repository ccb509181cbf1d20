# Run by the build in the page's folder: fetches what the page is made of, where that is not there yet, and makes page.html and
# page_text.cpp. Where npm cannot fetch, says so and writes a page_text.cpp without a page; the next build tries again.
if(package-lock.json IS_NEWER_THAN installed)
  file(REMOVE installed page.html)
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
      --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=30000
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE complaint TIMEOUT 180)
  if(failed)
    set(WHY "npm could not fetch what the page is made of when it was built")
    configure_file(${MISSING} page_text.cpp @ONLY)
    string(STRIP "${complaint}" complaint)
    message(WARNING "The design-review page (compare --report) is left out: npm could not fetch what it is made of. Everything else is built. "
      "Behind a proxy whose certificate npm does not know, set npm's 'cafile'; then build again.\n${failed}: ${complaint}")
    return()
  endif()
  file(TOUCH installed)
endif()
execute_process(COMMAND ${NODE} build.mjs . COMMAND_ERROR_IS_FATAL ANY)
