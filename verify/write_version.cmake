# Run at every build: writes OUTPUT from INPUT with the commit of SOURCE filled in, if that changes it.
# TASKTWIN_COMMIT may be given where there is no git checkout to ask.
if(NOT TASKTWIN_COMMIT)
  set(TASKTWIN_COMMIT unknown)
  execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(TASKTWIN_COMMIT ${described})
  endif()
endif()
configure_file(${INPUT} ${OUTPUT} @ONLY)
