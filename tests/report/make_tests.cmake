# Run by the build in the tests' working folder: fetches what they need, where that is not there yet, and bundles them into it. Without
# the page, or where npm cannot fetch, says so and leaves no file `built`; the next build tries again.
file(REMOVE built)
if(NOT EXISTS ${PAGE}/page.html)
  message(WARNING "The report page's tests are left out: there is no page (see above).")
  return()
endif()
if(package-lock.json IS_NEWER_THAN installed)
  file(REMOVE installed)
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
      --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=30000
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE complaint TIMEOUT 180)
  if(failed)
    message(WARNING "The report page's tests are left out: npm could not fetch what they need.\n${failed}: ${complaint}")
    return()
  endif()
  file(TOUCH installed)
endif()
execute_process(COMMAND ${NODE} ${TESTS}/build.mjs ${PAGE} ${TESTS} COMMAND_ERROR_IS_FATAL ANY)
file(TOUCH built)
