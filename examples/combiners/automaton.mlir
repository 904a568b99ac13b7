// A transition of an automaton of 16 states as a table in one word: nibble s is the
// state that follows state s. Tables of two stretches of text compose to that of both,
// so that a string is matched, or lexed, in parallel (Hillis and Steele, Data Parallel
// Algorithms, Communications of the ACM 29, 1986; Mytkowicz, Musuvathi and Schulte,
// ASPLOS 2014).
//
// VERDICT: proved exactly

func.func @automaton(%x: tensor<?xi64>) -> tensor<?xi64> {
  %y = scan.associative ins(%x : tensor<?xi64>) dim = 0 {
  ^bb0(%x0: i64, %x1: i64):
    %mask = arith.constant 15 : i64
    %two = arith.constant 2 : i64
    %at0 = arith.constant 0 : i64
    %from0 = arith.shrui %x0, %at0 : i64
    %state0 = arith.andi %from0, %mask : i64
    %four0 = arith.shli %state0, %two : i64
    %to0 = arith.shrui %x1, %four0 : i64
    %next0 = arith.andi %to0, %mask : i64
    %put0 = arith.shli %next0, %at0 : i64
    %at1 = arith.constant 4 : i64
    %from1 = arith.shrui %x0, %at1 : i64
    %state1 = arith.andi %from1, %mask : i64
    %four1 = arith.shli %state1, %two : i64
    %to1 = arith.shrui %x1, %four1 : i64
    %next1 = arith.andi %to1, %mask : i64
    %put1 = arith.shli %next1, %at1 : i64
    %r1 = arith.ori %put0, %put1 : i64
    %at2 = arith.constant 8 : i64
    %from2 = arith.shrui %x0, %at2 : i64
    %state2 = arith.andi %from2, %mask : i64
    %four2 = arith.shli %state2, %two : i64
    %to2 = arith.shrui %x1, %four2 : i64
    %next2 = arith.andi %to2, %mask : i64
    %put2 = arith.shli %next2, %at2 : i64
    %r2 = arith.ori %r1, %put2 : i64
    %at3 = arith.constant 12 : i64
    %from3 = arith.shrui %x0, %at3 : i64
    %state3 = arith.andi %from3, %mask : i64
    %four3 = arith.shli %state3, %two : i64
    %to3 = arith.shrui %x1, %four3 : i64
    %next3 = arith.andi %to3, %mask : i64
    %put3 = arith.shli %next3, %at3 : i64
    %r3 = arith.ori %r2, %put3 : i64
    %at4 = arith.constant 16 : i64
    %from4 = arith.shrui %x0, %at4 : i64
    %state4 = arith.andi %from4, %mask : i64
    %four4 = arith.shli %state4, %two : i64
    %to4 = arith.shrui %x1, %four4 : i64
    %next4 = arith.andi %to4, %mask : i64
    %put4 = arith.shli %next4, %at4 : i64
    %r4 = arith.ori %r3, %put4 : i64
    %at5 = arith.constant 20 : i64
    %from5 = arith.shrui %x0, %at5 : i64
    %state5 = arith.andi %from5, %mask : i64
    %four5 = arith.shli %state5, %two : i64
    %to5 = arith.shrui %x1, %four5 : i64
    %next5 = arith.andi %to5, %mask : i64
    %put5 = arith.shli %next5, %at5 : i64
    %r5 = arith.ori %r4, %put5 : i64
    %at6 = arith.constant 24 : i64
    %from6 = arith.shrui %x0, %at6 : i64
    %state6 = arith.andi %from6, %mask : i64
    %four6 = arith.shli %state6, %two : i64
    %to6 = arith.shrui %x1, %four6 : i64
    %next6 = arith.andi %to6, %mask : i64
    %put6 = arith.shli %next6, %at6 : i64
    %r6 = arith.ori %r5, %put6 : i64
    %at7 = arith.constant 28 : i64
    %from7 = arith.shrui %x0, %at7 : i64
    %state7 = arith.andi %from7, %mask : i64
    %four7 = arith.shli %state7, %two : i64
    %to7 = arith.shrui %x1, %four7 : i64
    %next7 = arith.andi %to7, %mask : i64
    %put7 = arith.shli %next7, %at7 : i64
    %r7 = arith.ori %r6, %put7 : i64
    %at8 = arith.constant 32 : i64
    %from8 = arith.shrui %x0, %at8 : i64
    %state8 = arith.andi %from8, %mask : i64
    %four8 = arith.shli %state8, %two : i64
    %to8 = arith.shrui %x1, %four8 : i64
    %next8 = arith.andi %to8, %mask : i64
    %put8 = arith.shli %next8, %at8 : i64
    %r8 = arith.ori %r7, %put8 : i64
    %at9 = arith.constant 36 : i64
    %from9 = arith.shrui %x0, %at9 : i64
    %state9 = arith.andi %from9, %mask : i64
    %four9 = arith.shli %state9, %two : i64
    %to9 = arith.shrui %x1, %four9 : i64
    %next9 = arith.andi %to9, %mask : i64
    %put9 = arith.shli %next9, %at9 : i64
    %r9 = arith.ori %r8, %put9 : i64
    %at10 = arith.constant 40 : i64
    %from10 = arith.shrui %x0, %at10 : i64
    %state10 = arith.andi %from10, %mask : i64
    %four10 = arith.shli %state10, %two : i64
    %to10 = arith.shrui %x1, %four10 : i64
    %next10 = arith.andi %to10, %mask : i64
    %put10 = arith.shli %next10, %at10 : i64
    %r10 = arith.ori %r9, %put10 : i64
    %at11 = arith.constant 44 : i64
    %from11 = arith.shrui %x0, %at11 : i64
    %state11 = arith.andi %from11, %mask : i64
    %four11 = arith.shli %state11, %two : i64
    %to11 = arith.shrui %x1, %four11 : i64
    %next11 = arith.andi %to11, %mask : i64
    %put11 = arith.shli %next11, %at11 : i64
    %r11 = arith.ori %r10, %put11 : i64
    %at12 = arith.constant 48 : i64
    %from12 = arith.shrui %x0, %at12 : i64
    %state12 = arith.andi %from12, %mask : i64
    %four12 = arith.shli %state12, %two : i64
    %to12 = arith.shrui %x1, %four12 : i64
    %next12 = arith.andi %to12, %mask : i64
    %put12 = arith.shli %next12, %at12 : i64
    %r12 = arith.ori %r11, %put12 : i64
    %at13 = arith.constant 52 : i64
    %from13 = arith.shrui %x0, %at13 : i64
    %state13 = arith.andi %from13, %mask : i64
    %four13 = arith.shli %state13, %two : i64
    %to13 = arith.shrui %x1, %four13 : i64
    %next13 = arith.andi %to13, %mask : i64
    %put13 = arith.shli %next13, %at13 : i64
    %r13 = arith.ori %r12, %put13 : i64
    %at14 = arith.constant 56 : i64
    %from14 = arith.shrui %x0, %at14 : i64
    %state14 = arith.andi %from14, %mask : i64
    %four14 = arith.shli %state14, %two : i64
    %to14 = arith.shrui %x1, %four14 : i64
    %next14 = arith.andi %to14, %mask : i64
    %put14 = arith.shli %next14, %at14 : i64
    %r14 = arith.ori %r13, %put14 : i64
    %at15 = arith.constant 60 : i64
    %from15 = arith.shrui %x0, %at15 : i64
    %state15 = arith.andi %from15, %mask : i64
    %four15 = arith.shli %state15, %two : i64
    %to15 = arith.shrui %x1, %four15 : i64
    %next15 = arith.andi %to15, %mask : i64
    %put15 = arith.shli %next15, %at15 : i64
    %r15 = arith.ori %r14, %put15 : i64
    scan.yield %r15 : i64
  } -> tensor<?xi64>
  return %y : tensor<?xi64>
}
