"""A guard for calls that the model wrote as text; machine.py is its door.

machine                              passes text on, and holds what may be a call
 ├─ names, context, words            where one may begin: signs and names, what stands before and behind it
 └─ candidates, rows                 what waits, with what has to stand around it
     └─ readers, json_reader, block_reader, nesting      where a call's own text ends
         └─ judge                    what that says (call_syntax), and whether it is a call
"""
